"""`validate --isolation`: scenarios together and each alone give the same results."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from harness.grading.grader import Graded
from harness.grading.validation.repeat import isolation_problems
from harness.model.observation import Isolation
from harness.model.result import ScenarioResult, SubmissionResult, SubmissionStatus
from harness.model.verdict import Verdict, VerdictKind
from tests.tiny_course import Course

PASSED = ScenarioResult(
    scenario_id="f/one",
    verdict=Verdict(kind=VerdictKind.PASSED),
    points=Fraction(1),
    out_of=Fraction(1),
)
FAILED = replace(PASSED, verdict=Verdict(kind=VerdictKind.FAILED))
ALONE = SubmissionResult(
    id="s",
    status=SubmissionStatus.GRADED,
    mark=Fraction(1),
    out_of=Fraction(1),
    scenarios=(PASSED,),
    isolation_reason="line 1: `global n`",
)
SHARED = replace(ALONE, isolation=Isolation.SHARED, isolation_reason="")


def graded(result: SubmissionResult, warning: str = "", seen: str = "1") -> Graded:
    return Graded(
        result=result, observations={}, verdicts={}, warning=warning, seen={"f/one": seen}
    )


@pytest.mark.parametrize(
    ("together", "messages"),
    [
        (graded(SHARED), []),
        (
            graded(replace(SHARED, scenarios=(FAILED,))),
            ["f/one: failed together, passed alone"],
        ),
        (
            graded(replace(SHARED, mark=Fraction(0))),
            ["its mark or its findings differ between the two ways"],
        ),
        (graded(SHARED, seen="2"), ["f/one: another observation together than alone"]),
        (graded(ALONE, warning="f/one is not right"), ["f/one is not right"]),
    ],
)
def test_differences(together: Graded, messages: list[str]) -> None:
    found = isolation_problems(together, graded(ALONE))
    assert [problem.message for problem in found] == messages
    assert {problem.place for problem in found} <= {"s"}


def test_the_tiny_course_is_the_same_both_ways(graded_once: Course) -> None:
    outcome = graded_once.run("validate", "--isolation")
    assert "isolation" not in outcome.out
    assert outcome.status == graded_once.run("validate").status
