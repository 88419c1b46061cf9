"""Causes: from the verdicts of one submission to the few things to fix. Pure, no I/O."""

from harness.judging.causes.blame import find_blame
from harness.judging.causes.derive import TOO_SLOW, derive, unreadable, unsettled, with_loops
from harness.judging.causes.failures import FailedScenario, failing

__all__ = [
    "TOO_SLOW",
    "FailedScenario",
    "derive",
    "failing",
    "find_blame",
    "unreadable",
    "unsettled",
    "with_loops",
]
