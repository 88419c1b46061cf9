"""From an observation and its expectation to a verdict with an explanation. Pure, no I/O."""

from harness.judging.blame import find_blame
from harness.judging.boards import grid_of
from harness.judging.causes import TOO_SLOW, derive, unreadable, unsettled, with_loops
from harness.judging.differences import raise_in_words, value_in_words
from harness.judging.explain.siblings import refine
from harness.judging.failed_scenarios import FailedScenario, failing
from harness.judging.goldens import disagreements
from harness.judging.judge import (
    LAST_KINDS,
    Judge,
    combine,
    judge,
    merge_stand_in_verdict,
    not_run,
    resolve,
)
from harness.judging.mismatches import expected_files

__all__ = [
    "LAST_KINDS",
    "TOO_SLOW",
    "FailedScenario",
    "Judge",
    "combine",
    "derive",
    "disagreements",
    "expected_files",
    "failing",
    "find_blame",
    "grid_of",
    "judge",
    "merge_stand_in_verdict",
    "not_run",
    "raise_in_words",
    "refine",
    "resolve",
    "unreadable",
    "unsettled",
    "value_in_words",
    "with_loops",
]
