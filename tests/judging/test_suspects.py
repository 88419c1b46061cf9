"""The lines that a cause is most likely in, by what runs where it shows and where it does not."""

from __future__ import annotations

import pytest

from harness.judging.suspects import (
    Event,
    Line,
    by_function,
    functions_of,
    most_suspect,
    read_trace,
    within,
)
from harness.model.policy import Outline
from harness.model.verdict import Cause, CodePlace, Suspect
from harness.policy.checking import check
from tests.execution.small_world import source

PROGRAM = """\
LIMIT = 3
def helper(x):
    if x > 1:
        y = x
        return y + 1
    return 0
def outer(x):
    return helper(x) + other(x)
def other(x):
    return deeper(x)
def deeper(x):
    return x
print(outer(LIMIT))
"""
TEXTS = PROGRAM.splitlines()


def outline() -> Outline:
    return check([source(PROGRAM)], None).outline


def cause(function: str) -> Cause:
    return Cause(function=function, rule="wrong_value", message="")


def lines(*traces: str, passing: tuple[str, ...] = ()) -> list[int]:
    """The most suspect lines of failing runs, beside those that pass."""
    found = most_suspect(
        [read_trace(text) for text in traces],
        [read_trace(text) for text in passing],
        lambda line: True,
        lambda line: TEXTS[line.number - 1] if line.number <= len(TEXTS) else "",
    )
    return [line.number for line in found]


def test_a_trace_says_what_ran_what_came_next_and_what_came_back() -> None:
    line = Line("a1.py", 3)
    assert read_trace("a1.py:3:0\na1.py:4:3\na1.py:4:True") == {
        Event(line),
        Event(line, ">4"),
        Event(Line("a1.py", 4)),
        Event(Line("a1.py", 4), "True"),
    }


@pytest.mark.parametrize("said", ["", "a1.py", "a1.py:x:0", "a1.py:3:7x", "a1.py:3:Maybe", ":3:0"])
def test_anything_else_that_a_process_says_is_left_out(said: str) -> None:
    assert read_trace(said) == frozenset()


def test_lines_that_run_only_where_it_fails_come_first() -> None:
    failing, passing = "a1.py:3:0\na1.py:4:3\na1.py:5:4", "a1.py:3:0\na1.py:6:3"
    # The condition too: what comes after it differs. Of equal ones those with more that can be
    # wrong come first.
    assert lines(failing, passing=(passing,)) == [3, 5, 4]


def test_a_line_that_runs_in_both_is_less_suspect_and_one_that_never_fails_is_none() -> None:
    failing, passing = "a1.py:5:0\na1.py:3:0", "a1.py:3:0\na1.py:6:0"
    assert lines(failing, passing=(passing, passing)) == [5, 3]


def test_of_a_line_that_always_runs_what_comes_back_tells() -> None:
    false = "a1.py:8:0\na1.py:10:0\na1.py:10:False"
    true = "a1.py:8:0\na1.py:10:0\na1.py:10:True"
    assert lines(false, passing=(true, true))[0] == 10
    assert lines(false, true, passing=(false, true))[0] == 8  # it says nothing: 8 has an operator


@pytest.mark.parametrize(
    ("others", "without", "shown"), [(5, 0, 0), (5, 8, 0), (5, 9, 5), (4, 0, 5)]
)
def test_where_lines_hardly_differ_from_one_that_always_runs_none_is_chosen(
    others: int, without: int, shown: int
) -> None:
    """Two runs fail and 21 pass, in so many of which line 4 does not run. Five lines are all that
    are shown: of no more none is left out."""
    one = "\n".join(f"a1.py:{5 + number}:0" for number in range(others))
    both = one + "\na1.py:4:0"
    passing = (*[one] * without, *[both] * (21 - without))
    assert len(lines(both, both, passing=passing)) == shown


def test_at_most_five_lines_and_none_without_text() -> None:
    every = "\n".join(f"a1.py:{number}:0" for number in range(1, 40))
    assert len(lines(every)) == 5
    assert lines("a1.py:39:0") == []


@pytest.mark.parametrize(
    ("function", "sheet", "names"),
    [
        ("outer", {"outer"}, ["deeper", "helper", "other", "outer"]),
        ("outer", {"outer", "other"}, ["helper", "outer"]),  # `other` would be to blame itself
        ("helper", {"outer"}, ["helper"]),
        ("a1.py", set(), ["deeper", "helper", "other", "outer"]),
        ("a1.py", {"outer"}, []),
        ("LIMIT", set(), []),
        ("nobody", set(), []),
    ],
)
def test_a_cause_is_in_its_function_or_in_helpers_of_it(
    function: str, sheet: set[str], names: list[str]
) -> None:
    found = functions_of(cause(function), outline(), sheet)
    assert sorted(part.name for part in found) == names


def test_the_head_of_a_function_and_code_outside_all_belong_to_no_function() -> None:
    functions = functions_of(cause("outer"), outline(), {"outer"})
    numbers = [n for n in range(1, 14) if within(Line("a1.py", n), functions, outline())]
    assert numbers == [3, 4, 5, 6, 8, 10, 12]
    program = [n for n in range(1, 14) if within(Line("a1.py", n), (), outline(), "a1.py")]
    assert program == [1, 13]
    assert not within(Line("other.py", 3), functions, outline())


def test_lines_stand_by_function_the_most_suspect_first() -> None:
    functions = functions_of(cause("outer"), outline(), {"outer"})
    found = by_function(
        [Line("a1.py", 5), Line("a1.py", 8), Line("a1.py", 3), Line("a1.py", 13)],
        functions,
        lambda file: 13,
    )
    assert found == (
        Suspect(function="helper", place=CodePlace(file="a1.py", first=2, last=6), lines=(3, 5)),
        Suspect(function="outer", place=CodePlace(file="a1.py", first=7, last=8), lines=(8,)),
        Suspect(function="", place=CodePlace(file="a1.py", first=1, last=13), lines=(13,)),
    )
