"""`validate --isolation`: scenarios together and each alone give the same results."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from harness.grading.check import cohort_of
from harness.grading.context import isolated, prepare
from harness.grading.grader import Graded
from harness.grading.validation.checks import isolation_problems
from harness.intake.terms import ClassOptions
from harness.model.observation import Isolation
from harness.model.result import ScenarioResult, SubmissionResult, SubmissionStatus
from harness.model.verdict import Explanation, Verdict, VerdictKind
from tests.inline import grader_of
from tests.per_commit import per_commit
from tests.shipped import shipped
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


def at(address: str) -> SubmissionResult:
    """Failed, with a message that shows an address."""
    explanation = Explanation(rule="r", message=f"got <A object at 0x{address}>")
    verdict = Verdict(kind=VerdictKind.FAILED, explanation=explanation)
    return replace(SHARED, scenarios=(replace(PASSED, verdict=verdict),))


def graded(result: SubmissionResult, seen: str = "1") -> Graded:
    return Graded(result=result, observations={}, verdicts={}, seen={"f/one": seen})


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
    ],
)
def test_differences(together: Graded, messages: list[str]) -> None:
    found = isolation_problems(together, graded(ALONE))
    assert [problem.message for problem in found] == messages
    assert {problem.place for problem in found} <= {"s"}


def test_an_address_differs_from_process_to_process() -> None:
    assert not isolation_problems(graded(at("7f01"), "1"), graded(at("7f02"), "2"))
    assert isolation_problems(graded(at("7f01")), graded(SHARED))


def test_the_tiny_course_is_the_same_both_ways(graded_once: Course) -> None:
    outcome = graded_once.run("validate", "--isolation")
    assert "isolation" not in outcome.out
    assert outcome.status == 0, outcome.out


ROOT = Path(__file__).parents[2]


IDS = sorted(path.name for path in (ROOT / "specs").iterdir())


@pytest.mark.parametrize("name", per_commit(IDS, "cs112-p4", "connect4ish"))
def test_a_fixed_tenth_of_the_samples_is_the_same_both_ways(name: str) -> None:
    """Every tenth sample, on every tenth scenario; `make test-all` compares them all on all."""
    whole = shipped(name)
    tenth = replace(whole, plan=replace(whole.plan, scenarios=whole.plan.scenarios[4::10]))
    context = prepare(tenth, cache=ROOT / ".harness-cache", recall_tier=True)
    samples = sorted((ROOT / "submissions" / name).iterdir())[3::10]
    submissions = cohort_of(samples, whole.plan.assignment, ClassOptions()).submissions
    assert len(submissions) >= 3
    together, alone = context.specification, isolated(context.specification)
    with ExitStack() as stack:
        one, other = (
            stack.enter_context(grader_of(context, way.plan, reference=way.reference, digests=True))
            for way in (together, alone)
        )
        found = [(one.grade(each), other.grade(each)) for each in submissions]
    assert [isolation_problems(first, second) for first, second in found] == [()] * len(found)
    assert {second.result.isolation for _, second in found} == {Isolation.ALONE}
    assert Isolation.SHARED in {first.result.isolation for first, _ in found}
