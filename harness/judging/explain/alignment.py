"""Two texts line by line, side by side, near the first difference only.

A program can print 256 KiB of line ends, and aligning costs the product of both sides: so the
shared start is passed over once, and only a window after it is ever aligned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

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
    """Both sides whole and in order, equal lines opposite each other. For windows: the cost is the
    product of both sides."""
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
    blocks = SequenceMatcher(None, expected, actual, autojunk=False).get_opcodes()
    if len(expected) == len(actual):
        # Rows of a board stay opposite each other, though other rows may look the same.
        common = sum(end - start for tag, start, end, _, _ in blocks if tag == "equal")
        opposite = sum(one == other for one, other in zip(expected, actual, strict=True))
        if 2 * common <= len(expected) or opposite >= common - 1:
            return list(side_by_side(expected, actual))
    return [
        line
        for _, start, end, other_start, other_end in blocks
        for line in side_by_side(expected[start:end], actual[other_start:other_end])
    ]


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
    """From line `at` (0-based) on, `inserted` is in the place of `removed`."""

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
