"""From an observation and its expectation to a verdict with an explanation. Pure, no I/O."""

from harness.judging.causes import (
    Failing,
    derive,
    failing,
    find_blame,
    unreadable,
    unsettled,
    with_loop,
)
from harness.judging.explain.siblings import refine
from harness.judging.goldens import disagreements
from harness.judging.judge import Judge, combine, judge, merge_stand_in_verdict, resolve

__all__ = [
    "Failing",
    "Judge",
    "combine",
    "derive",
    "disagreements",
    "failing",
    "find_blame",
    "judge",
    "merge_stand_in_verdict",
    "refine",
    "resolve",
    "unreadable",
    "unsettled",
    "with_loop",
]
