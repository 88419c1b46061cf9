"""Two texts line by line, side by side, near the first difference only.

Aligning costs the product of both sides and a program can print 256 KiB of line ends: so the
shared start is walked once, and only a window after it is ever aligned.

What lies between the shared start and the shared end of two texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.model.verdict import DiffLine

CONTEXT = 12
WINDOW = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Aligned lines around the first difference. `start` is the 0-based number, in both texts, of
    the first of them; `expected`/`actual` are how many lines of each side are in it."""

    start: int
    lines: tuple[DiffLine, ...]
    expected: int
    actual: int


def window(expected: Sequence[str], actual: Sequence[str]) -> Window:
    """The part of two texts that a reader needs."""
    first = shared_start(expected, actual)
    start = max(0, first - CONTEXT)
    left = expected[start : first + WINDOW]
    right = actual[start : first + WINDOW]
    return Window(start=start, lines=aligned(left, right), expected=len(left), actual=len(right))


def shared_start(left: Sequence[str], right: Sequence[str]) -> int:
    """How many items two sequences have in common at their start."""
    for index, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return index
    return min(len(left), len(right))


def shared_end(left: Sequence[str], right: Sequence[str], most: int) -> int:
    """How many items two sequences have in common at their end, `most` at most."""
    for index in range(most):
        if left[-1 - index] != right[-1 - index]:
            return index
    return most


def aligned(expected: Sequence[str], actual: Sequence[str]) -> tuple[DiffLine, ...]:
    """Both sides whole and in order, equal lines opposite each other. Quadratic: for windows."""
    start = shared_start(expected, actual)
    most = min(len(expected), len(actual)) - start
    end = shared_end(expected, actual, most)
    middle = _middle(expected[start : len(expected) - end], actual[start : len(actual) - end])
    before = [DiffLine(expected=e, actual=a) for e, a in zip(expected, actual, strict=False)]
    after = before[:0]
    for index in range(end, 0, -1):
        after.append(DiffLine(expected=expected[-index], actual=actual[-index]))
    return (*before[:start], *middle, *after)


def _middle(expected: Sequence[str], actual: Sequence[str]) -> list[DiffLine]:
    lengths = _common_lengths(expected, actual)
    if len(expected) == len(actual):
        # Rows of a board stay opposite each other, though other rows may look the same.
        matching = sum(one == other for one, other in zip(expected, actual, strict=True))
        if 2 * lengths[0][0] <= len(expected) or matching >= lengths[0][0] - 1:
            return list(side_by_side(expected, actual))
    lines: list[DiffLine] = []
    left: list[str] = []
    right: list[str] = []
    i = j = 0
    while i < len(expected) or j < len(actual):
        if i < len(expected) and j < len(actual) and expected[i] == actual[j]:
            lines += side_by_side(left, right)
            left, right = [], []
            lines.append(DiffLine(expected=expected[i], actual=actual[j]))
            i, j = i + 1, j + 1
        elif j == len(actual) or (i < len(expected) and lengths[i + 1][j] >= lengths[i][j + 1]):
            left.append(expected[i])
            i += 1
        else:
            right.append(actual[j])
            j += 1
    return [*lines, *side_by_side(left, right)]


def _common_lengths(expected: Sequence[str], actual: Sequence[str]) -> list[list[int]]:
    """`[i][j]`: the longest common subsequence of `expected[i:]` and `actual[j:]`."""
    table = [[0] * (len(actual) + 1)]
    for line in reversed(expected):
        below, row = table[-1], [0]
        for j in range(len(actual) - 1, -1, -1):
            row.append(below[j + 1] + 1 if line == actual[j] else max(below[j], row[-1]))
        row.reverse()
        table.append(row)
    table.reverse()
    return table


def side_by_side(left: Sequence[str], right: Sequence[str]) -> tuple[DiffLine, ...]:
    """Both sides opposite each other by their numbers alone."""
    size = max(len(left), len(right))
    return tuple(
        DiffLine(
            expected=left[i] if i < len(left) else None,
            actual=right[i] if i < len(right) else None,
        )
        for i in range(size)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """From line `at` (0-based) on, `inserted` stands where `removed` should."""

    at: int
    removed: list[str]
    inserted: list[str]
    expected: list[str]
    actual: list[str]

    @property
    def at_end(self) -> bool:
        """Whether nothing follows on either side."""
        return self.at + len(self.removed) == len(self.expected) and self.at + len(
            self.inserted
        ) == len(self.actual)


def edit_of(expected: list[str], actual: list[str]) -> Edit:
    """The one edit that makes the actual lines of the expected ones."""
    start = shared_start(expected, actual)
    most = min(len(expected), len(actual)) - start
    end = shared_end(expected, actual, most)
    return Edit(
        at=start,
        removed=expected[start : len(expected) - end],
        inserted=actual[start : len(actual) - end],
        expected=expected,
        actual=actual,
    )
