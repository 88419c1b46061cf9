"""What is asked about a class or a suite of scenarios as a whole; never a mark."""

from harness.study.fuzz.searching import FuzzOptions, fuzz
from harness.study.playing import PlayOptions, check_name, play, record
from harness.study.similarity import (
    compare_class,
    graded_submissions,
    without_ids,
)
from harness.study.strength import measure
from harness.study.style import style_report
from harness.study.transcripts import ImportOptions, import_transcript

__all__ = [
    "FuzzOptions",
    "ImportOptions",
    "PlayOptions",
    "check_name",
    "compare_class",
    "fuzz",
    "graded_submissions",
    "import_transcript",
    "measure",
    "play",
    "record",
    "style_report",
    "without_ids",
]
