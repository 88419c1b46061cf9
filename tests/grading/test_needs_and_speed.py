"""Scenarios that need others to be right first, and those that must not take too long."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from harness import load_assignment
from harness.grading.context import GradingContext, isolated, prepare
from harness.grading.grader import Grader
from harness.model.observation import Isolation
from harness.model.result import SubmissionResult
from harness.reporting.html.submission_pages import feedback_page
from harness.reporting.terminal import cards
from harness.results.student_view import student_view
from tests.inline import grader_of, handed_in
from tests.tiny_course import Course

SCENARIOS = """\
function: total
visible: true
scenarios:
  - name: adds
    function: add
    call: add([1], 2)
  - name: nothing
    call: total([])
  - name: two
    needs: nothing
    call: total([1, 2])
  - name: three
    needs: [two]
    call: total([1, 2, 3])
  - name: many
    needs: add
    faster_than: 5
    limits: {cpu_seconds: 10}
    call: total([number % 3 for number in range(3000)])
"""
EXEMPT = "exempt: [{student: excused, scenarios: [all/nothing], reason: was ill}]\n"
RIGHT = """\
def add(basket, amount):
    basket.append(amount)
def total(basket):
    result = 0
    for amount in basket:
        result += amount
    return result
"""
NONE_OF_NOTHING = RIGHT.replace("    result = 0", "    result = 0 if basket else None")
ADDS_IN_FRONT = RIGHT.replace("basket.append(amount)", "basket.insert(0, amount)")
# A fifth of a second where a machine is fast, and more than one where it is slow and busy.
SLOW = RIGHT.replace(
    "    result = 0", "    for amount in 8 * basket:\n        basket.count(-1)\n    result = 0"
)


GradedOnce = Callable[[str], SubmissionResult]


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> GradingContext:
    folder, exempt = tmp_path_factory.mktemp("course"), {"specs/baskets/exempt.yaml": EXEMPT}
    marks = "functionality_marks: 6\n"
    course = Course.small(folder, "baskets", RIGHT, SCENARIOS, marks, **exempt)
    return prepare(load_assignment(course.root, "baskets"))


@pytest.fixture(scope="module")
def grader(context: GradingContext) -> Iterator[Grader]:
    with grader_of(context, reference=context.specification.reference) as grader:
        yield grader


def test_the_guide_shows_lines_of_these_scenarios() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "writing-scenarios.md").read_text("utf-8")
    section = guide.partition("## Order and speed\n")[2]
    example = section.split("```")[1].splitlines()[1:]
    lines = [line.partition("  #")[0].rstrip() for line in example]
    assert "    faster_than: 5" in lines
    assert [line for line in lines if line not in SCENARIOS.splitlines()] == []


@pytest.fixture(scope="module")
def graded_once(grader: Grader) -> GradedOnce:
    """Grades each program once for all tests of this module."""
    return cache(lambda program: graded(grader, program))


def graded(
    grader: Grader, program: str, name: str = "s", *, only: frozenset[str] | None = None
) -> SubmissionResult:
    return grader.grade(handed_in(program, name), only=only).result


def kinds(result: SubmissionResult) -> list[str]:
    return [entry.verdict.kind.value for entry in result.scenarios]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (RIGHT, ["passed", "passed", "passed", "passed", "passed"]),
        (NONE_OF_NOTHING, ["passed", "failed", "not_run", "not_run", "passed"]),
        (ADDS_IN_FRONT, ["failed", "passed", "passed", "passed", "not_run"]),
        (SLOW, ["passed", "passed", "passed", "passed", "failed"]),
        ("pass", ["missing", "missing", "not_run", "not_run", "not_run"]),
    ],
)
def test_a_scenario_that_needs_a_wrong_one_does_not_run_and_earns_nothing(
    graded_once: GradedOnce, program: str, expected: list[str]
) -> None:
    result = graded_once(program)
    assert kinds(result) == expected
    assert result.mark == Fraction(6 * expected.count("passed"), 5)


def test_scenarios_that_do_not_run_have_a_reason(graded_once: GradedOnce) -> None:
    of_nothing = graded_once(NONE_OF_NOTHING).scenarios[2].verdict
    assert of_nothing.message == 'Not run, because "nothing" does not pass yet.'
    of_add = graded_once(ADDS_IN_FRONT).scenarios[4].verdict
    assert of_add.message == "Not run, because add is not right yet."


def test_a_scenario_that_does_not_run_belongs_to_the_cause_of_the_one_it_needs(
    graded_once: GradedOnce,
) -> None:
    result = graded_once(NONE_OF_NOTHING)
    (cause,) = result.causes
    assert cause.scenarios == ("all/nothing", "all/two", "all/three")
    assert cause.example == "all/nothing"
    assert [each.rule for each in cause.symptoms] == [cause.rule]
    assert result.mark is not None
    assert result.mark + cause.marks_at_stake == 6


def test_a_right_answer_that_takes_too_long_fails_without_a_figure(graded_once: GradedOnce) -> None:
    result = graded_once(SLOW)
    message = "The answer is right, but takes at least 5 times as long as the course's solution."
    assert result.scenarios[4].verdict.message == message
    (cause,) = result.causes
    assert (cause.function, cause.rule) == ("total", "too_slow")


def test_results_that_do_not_count_for_a_student_stop_nothing(grader: Grader) -> None:
    result = graded(grader, NONE_OF_NOTHING, "excused")
    assert kinds(result) == ["passed", "failed", "passed", "passed", "passed"]
    assert result.mark == 6


def test_a_part_of_the_scenarios_needs_nothing_outside_of_it(grader: Grader) -> None:
    assert kinds(graded(grader, NONE_OF_NOTHING, only=frozenset({"all/three"}))) == ["passed"]


def test_alone_and_together_come_out_the_same(
    graded_once: GradedOnce, context: GradingContext
) -> None:
    """What needs others shares a process all the same, and comes out as if it did not."""
    assert graded_once(RIGHT).isolation is Isolation.SHARED
    specification = isolated(context.specification)
    with grader_of(context, specification.plan, reference=specification.reference) as alone:
        found = graded(alone, NONE_OF_NOTHING)
        assert found.isolation is Isolation.ALONE
        assert found.scenarios == graded_once(NONE_OF_NOTHING).scenarios


def test_a_student_reads_what_waits_for_the_fix(
    graded_once: GradedOnce, context: GradingContext
) -> None:
    view = student_view(graded_once(NONE_OF_NOTHING), context.specification.plan)
    (cause,) = view.causes
    assert "Not run, because" in feedback_page(view)
    last = cards.cause(1, cause, view.surroundings)[-1]
    assert "2 other checks are not run until then" in str(last)
