"""From an observation and its expectation to a verdict with an explanation. Pure, no I/O."""

from harness.judging.explain.siblings import refine
from harness.judging.goldens import disagreements
from harness.judging.judge import Judge, combine, judge, merge_stand_in_verdict, resolve

__all__ = [
    "Judge",
    "combine",
    "disagreements",
    "judge",
    "merge_stand_in_verdict",
    "refine",
    "resolve",
]
