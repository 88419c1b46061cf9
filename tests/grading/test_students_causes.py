"""What a student is told of causes follows from visible scenarios only, whatever a program does in
hidden ones."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest

from harness import load_assignment
from harness.grading.context import GradingContext, prepare
from harness.model.plan import Plan, Visibility
from harness.model.result import SubmissionResult
from harness.model.verdict import Cause, CodePlace, Verdict, VerdictKind, stated
from harness.results.redaction import ShownCause
from harness.results.student_view import StudentView, student_view
from tests.grading.test_causes_of_submissions import REFERENCE, course_in
from tests.inline import grader_of, handed_in

# A fault that shows, and in hidden scenarios, whose items are long or dear, whatever MODE says.
FAULTY = REFERENCE.replace(
    "    return len(item) * 2\n",
    "    if MODE and (len(item) > 9 or TAX > 1):\n"
    "        return hidden(item)\n"
    "    return len(item) * 3\n",
)
FAULTY += """
def hidden(item):
    if MODE == 1:
        raise KeyError(item)
    if MODE == 2:
        while True:
            pass
    if MODE == 3:
        print(item)
        return None
    return len(item) * 2
MODE = 0
"""
MODES = range(5)
NOT_SHOWN = Verdict(kind=VerdictKind.CRASHED, explanation=stated("differs", "SECRET"))


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> GradingContext:
    course = course_in(tmp_path_factory.mktemp("course"))
    return prepare(load_assignment(course.root, "shop"))


@pytest.fixture(scope="module")
def results(context: GradingContext) -> dict[int, SubmissionResult]:
    """The results of programs that differ only in what they do in hidden scenarios."""
    with grader_of(context, secret=b"1", reference=context.specification.reference) as grader:
        programs = {mode: FAULTY.replace("MODE = 0", f"MODE = {mode}") for mode in MODES}
        return {mode: grader.grade(handed_in(text)).result for mode, text in programs.items()}


def not_hidden(view: StudentView) -> tuple[object, ...]:
    """What a view shows but for the tally of hidden checks, the mark and the digest of the file."""
    causes = sorted(map(repr, _shown_parts(view.causes)))
    return view.shown, causes, view.findings, view.notes, view.problem, view.status


def _shown_parts(causes: tuple[ShownCause, ...]) -> Iterator[ShownCause]:
    for cause in causes:
        if cause.checks:
            clauses = tuple(clause for check in cause.checks for clause in check.clauses)
            yield replace(cause, hidden=0, advice=(), clauses=clauses, marks=Fraction(0))


def test_programs_that_differ_in_what_is_hidden_get_the_same_causes(
    context: GradingContext, results: dict[int, SubmissionResult]
) -> None:
    plan = context.specification.plan
    views = [student_view(result, plan) for result in results.values()]
    assert all(view.causes for view in views)
    assert all(not_hidden(view) == not_hidden(views[0]) for view in views)
    # The lecturer's causes do rest on what is hidden.
    assert len({tuple(map(repr, result.causes)) for result in results.values()}) > 1


@pytest.mark.parametrize("mode", MODES)
def test_nothing_of_a_hidden_verdict_or_cause_reaches_the_student(
    context: GradingContext, results: dict[int, SubmissionResult], mode: int
) -> None:
    """Whatever verdicts hidden scenarios have, and whatever causes were found for the lecturer."""
    plan, result = context.specification.plan, results[mode]
    view = student_view(result, plan)
    place = CodePlace(file="a1.py", first=1, last=2, text=("SECRET",))
    rubbish = Cause(
        function="SECRET",
        explanation=stated("differs", "SECRET"),
        scenarios=tuple(scenario.id for scenario in plan.scenarios),
        example=plan.scenarios[0].id,
        blamed=True,
        place=place,
    )
    for passing in (False, True):
        changed = _with_hidden(result, plan, passing=passing)
        for causes in ((), (rubbish,), result.causes[::-1]):
            other = student_view(replace(changed, causes=causes), plan)
            assert not_hidden(other) == not_hidden(view)
            assert "SECRET" not in repr(replace(other, shown=(), hidden=()))


def _with_hidden(result: SubmissionResult, plan: Plan, *, passing: bool) -> SubmissionResult:
    """The result with other verdicts of hidden scenarios."""
    verdict = Verdict(kind=VerdictKind.PASSED) if passing else NOT_SHOWN
    hidden = {one.id for one in plan.scenarios if one.visibility is not Visibility.VISIBLE}
    entries = [
        replace(entry, verdict=verdict, points=entry.out_of if passing else Fraction(0))
        if entry.scenario_id in hidden
        else entry
        for entry in result.scenarios
    ]
    return replace(result, scenarios=tuple(entries))
