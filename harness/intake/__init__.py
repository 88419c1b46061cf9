"""Folders, archives and downloads to submissions: who, when, the bytes, or what is wrong."""

from harness.intake.layout_choice import LAYOUT_NAMES
from harness.intake.one import read_one
from harness.intake.read import Cohort, read, read_cohort
from harness.intake.terms import Asked

__all__ = ["LAYOUT_NAMES", "Asked", "Cohort", "read", "read_cohort", "read_one"]
