"""Folders, archives and downloads to submissions: who, when, the bytes, or what is wrong."""

from harness.intake.cohort.terms import ClassOptions
from harness.intake.layouts.choice import LAYOUT_NAMES
from harness.intake.read import Cohort, read, read_cohort
from harness.intake.selection import read_one

__all__ = ["LAYOUT_NAMES", "ClassOptions", "Cohort", "read", "read_cohort", "read_one"]
