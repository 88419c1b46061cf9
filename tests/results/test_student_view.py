"""What a student may read, and that nothing else is anywhere inside the value."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from harness.common import serial
from harness.model.plan import Visibility
from harness.model.result import SubmissionResult
from harness.model.verdict import Cause, CodePlace, Explanation, VerdictKind
from harness.results.student_view import (
    EVERYTHING,
    FunctionTally,
    HiddenCheck,
    ShownCause,
    student_view,
)
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
    first, second, *_ = result("ada").scenarios
    assert [(check.name, check.verdict) for check in view.shown] == [
        ("shown", first.verdict),
        ("sampled", second.verdict),
    ]
    assert [clause.id for clause in view.shown[0].clauses] == ["4.1"]
    assert view.shown[0].stimulus == PLAN.scenarios[0].stimuli[0]
    assert view.shown[1].stimulus == PLAN.scenarios[1].stimuli[1]  # the smallest failing draw
    assert view.shown[1].draws == 3
    assert (view.findings, view.notes) == ((FINDING,), ("a note",))
    assert student_view(UNREADABLE, PLAN).unparsable == UNREADABLE.unparsable
    assert view.hidden == tuple(
        HiddenCheck(name=name, function="f", kind=VerdictKind.FAILED)
        for name in ("secret", "later")
    )


def test_what_is_visible_grows_with_time() -> None:
    open_now = frozenset({Visibility.VISIBLE, Visibility.AFTER_DUE_DATE})
    view = student_view(result("ada"), PLAN, visible=open_now)
    assert [check.name for check in view.shown] == ["shown", "sampled", "later"]
    assert [check.name for check in view.hidden] == ["secret"]


def test_marks_and_tallies() -> None:
    view = student_view(result("ada"), PLAN)
    assert (view.id, view.title, view.course) == ("ada", "Small", "C1")
    assert (view.mark, view.out_of) == (Fraction(9, 2), 6)
    assert view.functions == (
        FunctionTally(
            function="f", passed=1, total=4, points=Fraction(1, 3), out_of=Fraction(4, 3)
        ),
    )


def cause_of(
    *scenarios: str, rule: str = "rule", message: str = "said to the lecturer", **changes: Any
) -> Cause:
    """A cause of these scenarios of f, the first its example, each worth half a mark."""
    fields: dict[str, Any] = {
        "function": "f",
        "explanation": Explanation(rule=rule, message=message),
        "scenarios": scenarios,
        "example": scenarios[0],
        "marks_at_stake": Fraction(len(scenarios), 2),
    }
    return Cause(**fields | changes)


def test_hidden_causes_of_one_function_are_one() -> None:
    """They may all say the same: how many checks fail, and where."""
    causes = (
        cause_of("f/secret", rule="first", clauses=("4.1",)),
        cause_of("f/later", rule="second", clauses=("4.1",)),
    )
    (cause,) = student_view(replace(result("ada"), causes=causes), PLAN).causes[:1]
    assert (cause.message, cause.hidden, cause.marks) == ("", 2, 1)


def _raises_on(line: int, *, joined: bool) -> SubmissionResult:
    """A program whose visible check raises on line 2 and whose hidden one on `line`: as one cause
    or as two; line 40 is in a function so long that its place is that line alone."""
    whole = CodePlace(file="a1.py", first=1, last=90, text=("def f(a, n):", "    return a[n]"))
    alone = CodePlace(file="a1.py", first=line, last=line, text=(f"    raise Never({line})",))
    names = ("f/sampled", "f/secret") if joined else ("f/sampled",)
    shown = cause_of(
        *names, place=whole, line=2, clauses=("4.1",), marks_at_stake=Fraction(len(names))
    )
    if joined:
        return replace(result("ada"), causes=(shown,))
    hidden = replace(
        shown.saying(SECRET),
        scenarios=("f/secret",),
        example="f/secret",
        place=alone,
        line=line,
        raised_in=alone,
        raised_at=line,
    )
    return replace(result("ada"), causes=(shown, hidden))


def test_the_line_on_which_a_hidden_scenario_raises_changes_nothing() -> None:
    """A program may let the hidden argument choose the line: not even that it is another one than
    a visible scenario's may be seen."""
    views = [student_view(_raises_on(line, joined=False), PLAN) for line in (40, 41)]
    views.append(student_view(_raises_on(2, joined=True), PLAN))
    assert views[0] == views[1] == views[2]
    (cause,) = views[0].causes
    assert (cause.line, cause.hidden, cause.marks) == (2, 1, 2)


def _two_causes(hidden_in: int, *, hidden_first: bool) -> SubmissionResult:
    """Two visible checks of f fail for two causes, and a hidden one for either of them."""
    whole = result("ada")
    first, *others = whole.scenarios
    failed = replace(first, verdict=replace(others[0].verdict, draw=None), points=Fraction(0))
    causes = []
    for index, name in enumerate(("f/shown", "f/sampled")):
        scenarios = (name, "f/secret") if index == hidden_in else (name,)
        causes.append(cause_of(*scenarios, message=name))
    if hidden_first:
        causes.sort(key=lambda cause: -cause.marks_at_stake)
    return replace(whole, scenarios=(failed, *others), causes=tuple(causes))


def test_for_which_of_two_visible_causes_a_hidden_check_fails_is_not_said() -> None:
    views = [
        student_view(_two_causes(where, hidden_first=first), PLAN)
        for where in (0, 1)
        for first in (False, True)
    ]
    assert all(view == views[0] for view in views)
    assert [(cause.message, cause.hidden) for cause in views[0].causes[:2]] == [
        ("f/shown", 1),
        ("f/sampled", 0),
    ]


@pytest.mark.parametrize(("shared", "together"), [("f/sampled", ("g",)), ("f/secret", ())])
def test_what_has_to_be_right_as_well_is_said_of_a_visible_check_only(
    shared: str, together: tuple[str, ...]
) -> None:
    causes = tuple(
        cause_of(
            *dict.fromkeys([own, shared, "f/secret"]),
            function=function,
            blamed=True,
            together_with=(other,),
            marks_at_stake=Fraction(0),
        )
        for function, other, own in (("f", "g", "f/sampled"), ("g", "f", "f/later"))
    )
    open_now = frozenset({Visibility.VISIBLE, Visibility.AFTER_DUE_DATE})
    whole = replace(result("ada"), causes=causes)
    view = student_view(whole, PLAN, visible=open_now)
    assert {cause.function: cause.together_with for cause in view.causes}["f"] == together
    everything = student_view(whole, PLAN, visible=EVERYTHING)
    assert [cause.together_with for cause in everything.causes] == [("g",), ("f",)]


def test_a_hidden_cause_is_its_function_its_clauses_and_its_marks() -> None:
    hidden = _raises_on(40, joined=False).causes[1]
    (cause,) = student_view(replace(result("ada"), causes=(hidden,)), PLAN).causes[:1]
    assert cause == ShownCause(
        function="f", hidden=1, clauses=PLAN.assignment.clauses, marks=Fraction(1)
    )


def test_how_a_hidden_check_failed_is_not_said() -> None:
    """Else an argument could choose among a dozen kinds."""
    *shown, secret, later = result("ada").scenarios
    views = set()
    for kind in (VerdictKind.FAILED, VerdictKind.TIMEOUT, VerdictKind.CRASHED, VerdictKind.MISSING):
        one = replace(secret, verdict=replace(secret.verdict, kind=kind))
        of_kind = replace(result("ada"), scenarios=(*shown, one, later))
        views.add(student_view(of_kind, PLAN).hidden)
    assert len(views) == 1
