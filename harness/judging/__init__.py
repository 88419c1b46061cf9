"""From an observation and its expectation to a verdict with an explanation. Pure, no I/O."""

from harness.judging.blame import blamed
from harness.judging.digest import JUDGING_DIGEST
from harness.judging.draws import combine
from harness.judging.goldens import disagreements
from harness.judging.judge import Judge, judge
from harness.judging.siblings import refine
from harness.judging.stated import resolve

__all__ = [
    "JUDGING_DIGEST",
    "Judge",
    "blamed",
    "combine",
    "disagreements",
    "judge",
    "refine",
    "resolve",
]
