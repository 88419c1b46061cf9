"""Folders, archives and downloads to submissions: who, when, the bytes, or what is wrong."""

from harness.intake.cohort.terms import ClassOptions
from harness.intake.files.entries import GO_THERE, listed, must_exist
from harness.intake.files.file_kinds import original_name
from harness.intake.layouts.choice import layout_names
from harness.intake.pipeline import Cohort, read, read_cohort
from harness.intake.submissions import read_one

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
