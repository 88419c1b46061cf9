"""The parts of a measurement that need no program: pairs of changes, tallies, what is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.common.words import percent
from harness.model.assignment import SourceFile
from harness.model.study import ChangeOutcome, Equivalent, PairOutcome
from harness.study.strength import Change, combine, pairs, report
from tests.marking.marking_plan import plan, scenario

ORIGINAL = SourceFile(name="a1.py", data=b"one\ntwo\nthree\n")


def change(line: int, text: bytes, function: str = "f") -> Change:
    return Change(
        file="a1.py", operator="o", function=function, line=line, before="b", after="a", text=text
    )


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        (b"ONE\ntwo\nthree\n", b"one\ntwo\nTHREE\n", b"ONE\ntwo\nTHREE\n"),
        (b"ONE\ntwo\nthree\n", b"Eins\ntwo\nthree\n", None),
        (b"ONE\ntwo\nthree\n", b"one\ntwo\n", None),
    ],
)
def test_two_changes_of_other_lines_are_put_together(
    first: bytes, second: bytes, both: bytes | None
) -> None:
    assert combine(ORIGINAL, change(1, first), change(3, second)) == both


def test_pairs_are_of_one_function_and_functions_take_turns() -> None:
    long = [change(line, b"%d" % line) for line in range(1, 9)]
    short = [change(line, b"%d" % line, "g") for line in (20, 21, 21)]
    found = pairs([*long, *short], range(11), 4)
    assert found == pairs([*long, *short], range(11), 4)
    assert len(found) == 4
    assert {(8, 9), (8, 10)} <= set(found), "both pairs of the short function"
    assert all(second < 8 for first, second in found if first < 8)
    assert pairs(long, [0, 3], 4) == ((0, 3),), "of those among which to choose"


def outcome(function: str, *noticed_by: str, before: str = "b", why: str = "") -> ChangeOutcome:
    return ChangeOutcome(
        file="a1.py", function=function, line=1, operator="o", before=before, after="a",
        noticed_by=noticed_by, why=why,
    )  # fmt: skip


def equivalent(before: str) -> Equivalent:
    return Equivalent(file="a1.py", function="g", before=before, after="a", why="so it is")


def test_what_a_report_counts() -> None:
    scenarios = [scenario(name) for name in ("f/one", "f/two", "g/one", "g/other")]
    scenarios[2] = replace(scenarios[2], clauses=("5",))
    scenarios.append(scenario("g/told", informational=True))
    found = report(
        plan(*scenarios),
        [
            outcome("f", "f/one", "f/two"),
            outcome("f", "g/one"),
            outcome("g"),
            outcome("g", before="same", why="so it is"),
        ],
        [PairOutcome(first=0, second=1, noticed_by=("f/two",))],
        [equivalent("same")],
    )
    counts = [
        (each.function, each.changes, each.noticed, each.equivalent) for each in found.functions
    ]
    assert counts == [("f", 2, 2, 0), ("g", 2, 0, 1)]
    assert [(each.clause, each.scenarios, each.noticed) for each in found.clauses] == [
        ("4.1", 3, 1), ("5", 1, 1),
    ]  # fmt: skip
    assert str(found.figures) == "66.6 % of 3 single-fault changes"
    assert (found.needed, found.spare) == (("f/two", "g/one"), ("f/one", "g/other"))
    assert [each.function for each in found.survivors] == ["g"]
    assert not found.mistakes


def test_a_reason_for_what_is_noticed_or_is_not_there_is_a_mistake() -> None:
    found = report(
        plan(scenario("g/one")),
        [outcome("g", "g/one", before="seen", why="so it is")],
        [],
        [equivalent("seen"), equivalent("gone")],
    )
    assert found.mistakes == (
        "a1.py, g: `gone` as `a`: there is no such change",
        "a1.py, g: `seen` as `a`: g/one notices it",
    )


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [(0, 0, "0.0"), (999, 1000, "99.9"), (9999, 10000, "99.9"), (5, 5, "100.0")],
)
def test_a_share_is_never_rounded_up(part: int, whole: int, said: str) -> None:
    assert percent(part, whole) == said
