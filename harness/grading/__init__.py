"""The use cases: the answer key, one submission, a batch, a check, a validation, a recording."""

from typing import TYPE_CHECKING

from harness.doors import later
from harness.grading.bench import Bench, prepare
from harness.grading.check import check_submissions
from harness.grading.cutting import visible_only, without_tags
from harness.grading.grader import Graded, Grader
from harness.grading.handed_in import cohort_of, handed_in, one_handed_in
from harness.grading.key import key_disagreements, make_key

if TYPE_CHECKING:
    from harness.grading.batch import BatchOptions, Interrupted, Listener, grade_batch
    from harness.grading.record import record_transcripts

__all__ = [
    "BatchOptions",
    "Bench",
    "Graded",
    "Grader",
    "Interrupted",
    "Listener",
    "check_submissions",
    "cohort_of",
    "grade_batch",
    "handed_in",
    "key_disagreements",
    "make_key",
    "one_handed_in",
    "prepare",
    "record_transcripts",
    "visible_only",
    "without_tags",
]

__getattr__ = later(
    __name__,
    {
        "batch": ("BatchOptions", "Interrupted", "Listener", "grade_batch"),
        "record": ("record_transcripts",),
    },
)
