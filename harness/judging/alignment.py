"""Two texts line by line, side by side, near the first difference only.

A program can print 256 KiB of line ends, and aligning costs the product of both sides: so the
shared start is passed over once, and only a window after it is ever aligned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

CONTEXT = 12
WINDOW = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposite:
    """The 0-based numbers of two lines opposite each other; None on the side without one."""

    expected: int | None
    actual: int | None


def window(expected: Sequence[str], actual: Sequence[str]) -> list[Opposite]:
    """The lines of two texts that a reader needs, aligned: those around the first difference."""
    first = shared_start(expected, actual)
    start = max(0, first - CONTEXT)
    return aligned(expected[start : first + WINDOW], actual[start : first + WINDOW], start)


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


def aligned(expected: Sequence[str], actual: Sequence[str], number: int = 0) -> list[Opposite]:
    """Both sides whole and in order, equal lines opposite each other; the first line of each has
    this number. For windows: the cost is the product of both sides."""
    start = shared_start(expected, actual)
    end = shared_end(expected, actual, min(len(expected), len(actual)) - start)
    left, right = expected[start : len(expected) - end], actual[start : len(actual) - end]
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    numbers, others = (range(number, number + len(side)) for side in (expected, actual))
    if len(left) == len(right):
        # Rows of a board stay opposite each other, though other rows may look the same.
        common = sum(stop - first for tag, first, stop, _, _ in blocks if tag == "equal")
        opposite = sum(one == other for one, other in zip(left, right, strict=True))
        if 2 * common <= len(left) or opposite >= common - 1:
            return side_by_side(numbers, others)
    pairs = side_by_side(numbers[:start], others[:start])
    for _, first, stop, other_first, other_stop in blocks:
        pairs += side_by_side(
            numbers[start + first : start + stop], others[start + other_first : start + other_stop]
        )
    return pairs + side_by_side(numbers[len(numbers) - end :], others[len(others) - end :])


def side_by_side(left: Sequence[int], right: Sequence[int]) -> list[Opposite]:
    """Lines of these numbers opposite each other in their order alone."""
    return [Opposite(expected=one, actual=other) for one, other in zip_longest(left, right)]


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
