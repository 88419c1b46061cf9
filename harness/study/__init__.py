"""What is asked about a class or a suite of scenarios as a whole; never a mark."""

from harness.study.fuzz.searching import FuzzOptions, fuzz
from harness.study.play.playing import PlayOptions, play
from harness.study.play.recording import check_name, record
from harness.study.similarity.comparing import (
    compare_class,
    graded_submissions,
    without_ids,
)
from harness.study.strength.measuring import measure
from harness.study.style.gathering import style_report
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
