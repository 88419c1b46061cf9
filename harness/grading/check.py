"""A student's own check: the visible scenarios of one file, in this process."""

from __future__ import annotations

from collections.abc import Sequence

from harness.execution import a_driver
from harness.grading.bench import Bench
from harness.grading.cores import a_core
from harness.grading.grader import Grader
from harness.model.result import SubmissionResult
from harness.model.submission import Submission


def check_submissions(
    bench: Bench, submissions: Sequence[Submission], *, thorough: bool = False
) -> tuple[SubmissionResult, ...]:
    """Grade on all scenarios of the bench's plan; nothing is stored."""
    with (
        a_driver(bench.interpreter, bench.tier.tier, cpu=a_core()) as driver,
        Grader(bench.specification.plan, bench.key, driver, thorough=thorough) as grader,
    ):
        return tuple(grader.grade(submission).result for submission in submissions)
