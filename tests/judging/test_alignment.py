"""Aligning: both sides come back whole, and a flood costs no more than a look along it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.judging.comparison import CONTEXT, LONGEST_LINE, WINDOW, Opposite, aligned, window
from harness.judging.judge import judge
from harness.model.verdict import Cell, ComparedRow, Comparison
from tests.judging.judging_cases import CALL, called, expecting

LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=25)


class Counted(str):
    """A line that counts how often it is compared."""

    comparisons = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.comparisons += 1
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        Counted.comparisons += 1
        return str.__ne__(self, other)


def sides(pairs: list[Opposite]) -> tuple[list[int], list[int]]:
    return (
        [pair.expected for pair in pairs if pair.expected is not None],
        [pair.actual for pair in pairs if pair.actual is not None],
    )


@given(expected=LINES, actual=LINES)
@settings(deadline=None)
def test_both_sides_come_back_whole_and_in_order(expected: list[str], actual: list[str]) -> None:
    pairs = aligned(expected, actual)
    left, right = sides(pairs)
    assert (left, right) == (list(range(len(expected))), list(range(len(actual))))
    assert all(pair.expected is not None or pair.actual is not None for pair in pairs)


@given(lines=LINES, extra=st.integers(min_value=0, max_value=25))
@settings(deadline=None)
def test_one_more_line_is_the_only_one_without_a_partner(lines: list[str], extra: int) -> None:
    place = min(extra, len(lines))
    longer = [*lines[:place], "new", *lines[place:]]
    (alone,) = (pair for pair in aligned(lines, longer) if pair.expected is None)
    assert alone.actual is not None and longer[alone.actual] == "new"
    for pair in aligned(lines, longer):
        if pair.expected is not None and pair.actual is not None:
            assert lines[pair.expected] == longer[pair.actual]


def test_rows_of_a_board_stay_opposite_each_other() -> None:
    expected, actual = ["--", "X-", "--", "--"], ["--", "--", "X-", "--"]
    assert all(pair.expected == pair.actual for pair in aligned(expected, actual))


@given(expected=LINES, actual=LINES, shared=st.integers(min_value=0, max_value=60))
@settings(deadline=None)
def test_a_window_is_a_stretch_of_both_sides(
    expected: list[str], actual: list[str], shared: int
) -> None:
    expected, actual = ["s"] * shared + expected, ["s"] * shared + actual
    for numbers in sides(window(expected, actual)):
        assert numbers == list(range(numbers[0], numbers[-1] + 1)) if numbers else True
        assert len(numbers) <= CONTEXT + WINDOW


@pytest.mark.parametrize(
    ("shared", "lines", "others"),
    [
        (0, [f"e{n}" for n in range(50_000)], [f"a{n}" for n in range(50_000)]),
        (100_000, [f"e{n}" for n in range(50_000)], [f"a{n}" for n in range(50_000)]),
        (0, ["a", "b"] * 25_000, ["b", "a"] * 25_000),
        (0, ["x"] * 50_000, ["y", "x"] * 25_000),
    ],
    ids=["no line in common", "after many", "one line apart", "every other line"],
)
def test_a_flood_is_looked_at_once_and_aligned_in_a_window(
    shared: int, lines: list[str], others: list[str]
) -> None:
    start = [Counted("s")] * shared
    expected, actual = (start + [Counted(line) for line in side] for side in (lines, others))
    Counted.comparisons = 0
    near = window(expected, actual)
    assert len(near) <= CONTEXT + 2 * WINDOW
    assert Counted.comparisons <= shared + 3 * (CONTEXT + WINDOW) ** 2


def assert_bounded(part: Comparison) -> None:
    assert part.differs
    assert len(part.rows) <= 60
    assert all(len(cell.text) <= LONGEST_LINE for row in part.rows for cell in cells(row))


def cells(row: ComparedRow) -> tuple[Cell, Cell]:
    return row.expected, row.actual


FLOODS = [
    ("a\nb\n", "\n" * 262_144),
    ("a\nb\n" * 60_000, "a\nb\n" * 60_000 + "c"),
    ("a" * 262_144, "a" * 262_143 + "b"),
    ("|-|-|\n" * 30_000, "|-|-|\n" * 30_001),
    ("x", "\u202e" * 100_000),
    ("x\n" * 199, "y\nx\n" * 99),
]


@pytest.mark.parametrize(("expected", "actual"), FLOODS)
def test_what_is_kept_of_a_flood_is_small(expected: str, actual: str) -> None:
    (difference,) = judge(called(None, actual), expecting(called(None, expected)), CALL).differences
    assert_bounded(difference)


VALUE_FLOODS = [
    (list(range(50_000)), [*range(49_999), 0]),
    ("x" * 300_000, "x" * 299_999 + "y"),
    ([["x"] * 300] * 300, [["x"] * 300] * 301),
    ({n: n for n in range(5_000)}, {}),
]


@pytest.mark.parametrize(("expected", "actual"), VALUE_FLOODS)
def test_what_is_kept_of_a_huge_value_is_small(expected: object, actual: object) -> None:
    (difference,) = judge(called(actual), expecting(called(expected)), CALL).differences
    assert_bounded(difference)
