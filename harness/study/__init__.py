"""What is asked about a class or a suite of scenarios as a whole; never a mark."""

from harness.study.fuzz.searching import FuzzOptions, fuzz
from harness.study.similarity.comparing import (
    compare_class,
    graded_submissions,
    without_ids,
)
from harness.study.strength.measuring import measure
from harness.study.transcripts.importing import ImportOptions, import_transcript

__all__ = [
    "FuzzOptions",
    "ImportOptions",
    "compare_class",
    "fuzz",
    "graded_submissions",
    "import_transcript",
    "measure",
    "without_ids",
]
