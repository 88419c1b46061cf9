"""Folders, archives and downloads to submissions: who, when, the bytes, or what is wrong."""

from harness.intake.entries import GO_THERE, listed, must_exist, original_name
from harness.intake.pipeline import Cohort, read, read_cohort
from harness.intake.recognising import layout_names
from harness.intake.submissions import read_one
from harness.intake.terms import ClassOptions

__all__ = [
    "GO_THERE",
    "ClassOptions",
    "Cohort",
    "layout_names",
    "listed",
    "must_exist",
    "original_name",
    "read",
    "read_cohort",
    "read_one",
]
