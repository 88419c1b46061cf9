"""Which of the student's lines stand beside a cause, and which of them are marked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from harness.model.causes import CodePlace
from harness.model.result import ScenarioResult
from harness.model.student_view import ShownCause, ShownCheck
from harness.model.verdict import Explanation, Verdict, VerdictKind
from harness.reporting.view.code import own_lines
from harness.reporting.view.shown_causes import marked_lines
from tests.reporting.report_samples import HOURS

LONG = "|".join(f"line {n}" for n in range(40))


def place(text: str) -> CodePlace:
    lines = tuple(text.split("|"))
    return CodePlace(file="a1.py", first=3, last=2 + len(lines), text=lines)


@pytest.mark.parametrize(
    ("text", "marked", "expected"),
    [
        ("def f(x):|    return x", [], [3, 4]),
        ('def f(x):|    """One line."""|    return x', [], [3, 4, 5]),
        ('def f(x):|    """Two|    lines.|    """|    return x', [], [3, None, 7]),
        ("def f(x):|    '''Never closed.|    return x", [], [3, None]),
        ("|".join(f"line {n}" for n in range(30)), [20], list(range(3, 33))),
        (LONG, [], [*range(3, 21), None, *range(35, 43)]),
        (LONG, [20], [3, None, *range(14, 27), None]),
        (LONG, [11, 35], [3, 4, *range(5, 18), None, *range(29, 42), 42]),
    ],
)
def test_lines(text: str, marked: list[int], expected: list[int | None]) -> None:
    lines = own_lines(place(text), marked)
    assert [line.number for line in lines] == expected
    assert [line.number for line in lines if line.marked] == marked


def cause(message: str, rule: str, **parts: object) -> ShownCause:
    check = ShownCheck.of(
        HOURS,
        ScenarioResult(
            scenario_id=HOURS.id,
            verdict=Verdict(
                kind=VerdictKind.FAILED, explanation=Explanation(rule=rule, message=message)
            ),
            points=Fraction(0),
            out_of=Fraction(1),
        ),
    )
    found = ShownCause(function="f", message=message, checks=(check,))
    return replace(found, **parts)  # type: ignore[arg-type]


BOARD = place("def f():|    for i in range(8):  # not 18|        show(board[i])  # 8")
HELPER = replace(place("def show(x):|    print(x[9])"), first=20, last=21)


def test_lines_with_the_number_are_marked_and_not_the_crash() -> None:
    said = "This looks hard-coded to 8: an index is out of range when SIZE is 4."
    found = cause(said, "hard_coded_size", place=BOARD, line=5)
    assert marked_lines(found) == [(BOARD, [4])]


def test_without_such_a_line_the_crash_is_marked() -> None:
    said = "This looks hard-coded to 7: an index is out of range when SIZE is 4."
    found = cause(said, "hard_coded_size", place=BOARD, line=5)
    assert marked_lines(found) == [(BOARD, [5])]


def test_the_function_in_which_it_crashed_is_shown_too() -> None:
    found = cause("raised", "raised_unexpectedly", place=BOARD, raised_in=HELPER, raised_at=21)
    assert marked_lines(found) == [(BOARD, []), (HELPER, [21])]
