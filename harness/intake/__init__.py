"""Folders, archives and downloads to submissions: who, when, the bytes, or what is wrong."""

from harness.intake.cohort.terms import ClassOptions
from harness.intake.layouts.choice import layout_names
from harness.intake.read import Cohort, read, read_cohort
from harness.intake.selection import read_one

__all__ = ["ClassOptions", "Cohort", "layout_names", "read", "read_cohort", "read_one"]
