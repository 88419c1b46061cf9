"""What a student may read, and that nothing else is anywhere inside the value."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from harness.common import serial
from harness.model.plan import Visibility
from harness.model.student_view import FunctionTally, HiddenCheck
from harness.model.verdict import Cause, VerdictKind
from harness.results import student_view
from tests.results.small_run import FINDING, PLAN, SECRET, UNREADABLE, result


def test_nothing_hidden_is_anywhere_inside() -> None:
    whole = serial.dumps(result("ada"), kind=None)
    assert SECRET in whole
    view = student_view(result("ada"), PLAN)
    assert SECRET not in serial.dumps(view)
    assert SECRET not in repr(view)
    assert "f.yaml" not in repr(view)


def test_visible_scenarios_are_shown_whole_and_hidden_ones_by_name_and_verdict() -> None:
    view = student_view(result("ada"), PLAN)
    assert [check.name for check in view.shown] == ["shown", "sampled"]
    assert [check.verdict for check in view.shown] == [
        entry.verdict for entry in result("ada").scenarios[:2]
    ]
    assert [clause.id for clause in view.shown[0].clauses] == ["4.1"]
    failed = VerdictKind.FAILED
    assert view.hidden == (
        HiddenCheck(name="secret", function="f", kind=failed),
        HiddenCheck(name="later", function="f", kind=failed),
    )


def test_a_sample_shows_its_smallest_failing_draw() -> None:
    shown = student_view(result("ada"), PLAN).shown
    assert shown[0].stimulus == PLAN.scenarios[0].stimuli[0]
    assert shown[1].stimulus == PLAN.scenarios[1].stimuli[1]
    assert shown[1].draws == 3


def test_what_is_visible_grows_with_time() -> None:
    open_now = frozenset({Visibility.VISIBLE, Visibility.AFTER_DUE_DATE})
    view = student_view(result("ada"), PLAN, visible=open_now)
    assert [check.name for check in view.shown] == ["shown", "sampled", "later"]
    assert [check.name for check in view.hidden] == ["secret"]


def test_the_students_own_lines_are_never_secret() -> None:
    view = student_view(result("ada"), PLAN)
    assert view.findings == (FINDING,)
    assert view.notes == ("a note",)
    unreadable = student_view(UNREADABLE, PLAN)
    assert unreadable.unparsable == UNREADABLE.unparsable


def test_marks_and_tallies() -> None:
    view = student_view(result("ada"), PLAN)
    assert (view.id, view.title, view.course) == ("ada", "Small", "C1")
    assert (view.mark, view.out_of) == (Fraction(9, 2), 6)
    assert view.functions == (
        FunctionTally(
            function="f", passed=1, total=4, points=Fraction(1, 3), out_of=Fraction(4, 3)
        ),
    )


def test_hidden_causes_of_one_function_are_one() -> None:
    """They may all say the same: how many checks fail, and where."""
    causes = tuple(
        Cause(
            function="f",
            rule=rule,
            message="said to the lecturer",
            scenarios=(name,),
            example=name,
            clauses=("4.1",),
            marks_at_stake=Fraction(1, 2),
        )
        for rule, name in (("first", "secret"), ("second", "later"))
    )
    (cause,) = student_view(replace(result("ada"), causes=causes), PLAN).causes[:1]
    assert (cause.message, cause.hidden, cause.marks) == ("", 2, 1)
