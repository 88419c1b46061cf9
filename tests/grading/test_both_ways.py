"""`validate --isolation`: scenarios together and each alone give the same results."""

import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction

import pytest

from harness.assignment.loading import CACHE
from harness.grading.check import cohort_of
from harness.grading.context import GradingContext, isolated, prepare
from harness.grading.grader import Graded
from harness.grading.validation.again import isolation_problems
from harness.grading.validation.validate import why_alone
from harness.model.assignment import SourceFile
from harness.model.observation import Isolation
from harness.model.plan import Scenario
from harness.model.result import ScenarioResult, SubmissionResult, SubmissionStatus
from harness.model.submission import Submission
from harness.model.verdict import Verdict, VerdictKind, stated
from tests.inline import grader_of
from tests.per_commit import per_commit
from tests.shipped import ROOT, shipped
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
    explanation = stated("r", f"got <A object at 0x{address}>")
    verdict = Verdict(kind=VerdictKind.FAILED, explanation=explanation)
    return replace(SHARED, scenarios=(replace(PASSED, verdict=verdict),))


def graded(result: SubmissionResult, seen: str = "1") -> Graded:
    return Graded(result=result, verdicts={}, observed_digests={"f/one": seen})


def test_that_nothing_was_shared_is_found_with_the_references_reason() -> None:
    assert why_alone([graded(ALONE), replace(graded(SHARED), shared=1), graded(ALONE)]) is None
    assert why_alone([graded(SHARED), graded(ALONE)]) == "line 1: `global n`"
    assert why_alone(
        [graded(SHARED)]
    )  # it might have shared a process, and nothing was asked there


DIFFERENCES = {
    "": graded(SHARED),
    "f/one: failed together, passed separately": graded(replace(SHARED, scenarios=(FAILED,))),
    "its mark or its findings differ between the two ways": graded(
        replace(SHARED, mark=Fraction(0))
    ),
    "f/one: behaved differently in a shared process and in its own": graded(SHARED, seen="2"),
}


@pytest.mark.parametrize("message", DIFFERENCES)
def test_differences(message: str) -> None:
    found = isolation_problems(DIFFERENCES[message], graded(ALONE))
    assert [(each.place, each.message) for each in found] == [("s", message)] * bool(message)


def test_an_address_differs_from_process_to_process() -> None:
    assert not isolation_problems(graded(at("7f01"), "1"), graded(at("7f02"), "2"))
    assert isolation_problems(graded(at("7f01")), graded(SHARED))


def test_the_tiny_course_is_the_same_both_ways(graded_once: Course) -> None:
    outcome = graded_once.run("validate", "--isolation")
    assert "isolation" not in outcome.out
    assert outcome.status == 0, outcome.out


IDS = sorted(path.name for path in (ROOT / "specs").iterdir())


@pytest.mark.parametrize("name", per_commit(IDS, "cs112-p4", "connect4ish"))
def test_a_fixed_tenth_of_the_samples_is_the_same_both_ways(name: str) -> None:
    """Every tenth sample, on every tenth scenario; `make test-all` compares them all on all."""
    whole = shipped(name)
    tenth = replace(whole, plan=replace(whole.plan, scenarios=whole.plan.scenarios[4::10]))
    context = prepare(tenth, cache=ROOT / ".harness-cache", recall_tier=True)
    samples = sorted((ROOT / "submissions" / name).iterdir())[3::10]
    submissions = cohort_of(samples, whole.plan.assignment).submissions
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


# The sample, what floods in it, and of which functions the scenarios get to that.
FROM_THE_SHEET = "perfect_from_the_sheet"
FLOODED = {
    "comp1005-a3": ("right_plain", "c4game.py", "main", {"c4game.py"}),
    "connect4ish": ("perfect", "a1.py", "play_game", {"main", "play_game"}),
    "cs112-p4": (FROM_THE_SHEET, "p4.py", "show_board", {"show_board", "p4.py", "p4play.py"}),
    "naughts-crosses": (FROM_THE_SHEET, "a1.py", "main", {"main"}),
}


def handed_in(name: str, floods: bool) -> Submission:
    """The right sample; its function prints without end where it `floods`, as fast as it may and
    in characters that take the most memory."""
    sample, flooded, function, _ = FLOODED[name]
    files = []
    for path in sorted((ROOT / "submissions" / name / sample).glob("*.py")):
        file = "p4.py" if name == "cs112-p4" else path.name
        text = path.read_text(encoding="utf-8")
        if floods and file == flooded:
            text, count = re.subn(
                rf"(?m)^def {function}\(.*$",
                lambda found: f"{found[0]}\n    while True: print('\\U0001f30a' * 999)\n",
                text,
            )
            assert count == 1
        files.append(SourceFile(name=file, data=text.encode()))
    return Submission(id="s", origin=sample, files=tuple(files))


def verdicts_of(
    context: GradingContext, submission: Submission, *, alone: bool, backwards: bool
) -> dict[str, Verdict]:
    """Its verdicts by scenario."""
    way = isolated(context.specification) if alone else context.specification
    plan = way.plan
    if backwards:
        plan = replace(plan, scenarios=plan.scenarios[::-1])
    with grader_of(context, plan, secret=b"1") as grader:
        result = grader.grade(submission).result
    return {each.scenario_id: each.verdict for each in result.scenarios}


@pytest.mark.parametrize("name", per_commit(sorted(FLOODED), "cs112-p4"))
def test_a_flood_costs_no_other_function_anything(name: str) -> None:
    floods = FLOODED[name][3]
    every: dict[str, int] = {}

    def is_tried(scenario: Scenario) -> bool:
        every[scenario.function] = every.get(scenario.function, 0) + 1
        return scenario.function in floods or every[scenario.function] % 8 == 1

    whole = shipped(name)
    part = replace(whole, plan=whole.plan.subset(is_tried))
    context = prepare(part, cache=ROOT / CACHE, recall_tier=True)
    functions = {each.id: each.function for each in context.specification.plan.scenarios}

    def of_others(verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
        return {id: each for id, each in verdicts.items() if functions[id] not in floods}

    right = verdicts_of(context, handed_in(name, False), alone=True, backwards=False)
    assert {each.kind for each in of_others(right).values()} == {VerdictKind.PASSED}
    flooding = handed_in(name, True)
    ways = [(alone, backwards) for alone in (False, True) for backwards in (False, True)]
    found = [verdicts_of(context, flooding, alone=a, backwards=b) for a, b in ways]
    kinds = [{id: each.kind for id, each in verdicts.items()} for verdicts in found]
    for verdicts, of_this_way in zip(found, kinds, strict=True):
        assert of_others(verdicts) == of_others(right)
        assert of_this_way == kinds[0]
    assert VerdictKind.OUTPUT_LIMIT in kinds[0].values()
