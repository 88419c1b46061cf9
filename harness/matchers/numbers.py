"""Finds numbers in text, and compares lines that differ only in floats within a tolerance.

A float has a decimal point between or before digits, or an exponent: `3.14`, `.5`, `1e-05`,
`1,000.5`. No letter, digit or underscore may come before it, and no `.` with a digit after it: so
`1.2.3`, `v1.5` and `28.11.2026` are text. Everything else is compared as text: whole numbers, `+`,
the point in `5.`, `nan`, `inf`, decimal commas. A table in writing-scenarios.md has examples, and a
test checks them.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

_NUMBER = re.compile(
    r"(?<![\w.])(?P<minus>(?<![)\]])-)?(?=\.?[0-9])"
    r"(?P<whole>[0-9]{1,3}(?:,[0-9]{3}){1,100}(?=\.[0-9])|[0-9]+)?"
    r"(?P<rest>(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)"
    r"(?![0-9])(?!\.[0-9])"
)
_WORD = re.compile(r"[^ ]+")
_MAX_LENGTH = 400  # maximum length of a number; longer ones are text, so 100 groups are enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number found in a text, with its position."""

    start: int
    stop: int
    value: float
    is_float: bool
    is_grouped: bool  # with commas between thousands: 1,000.5

    def is_near(self, other: "Number", within: float) -> bool:
        """Return whether both are floats in the same notation that differ by at most `within`."""
        if not (self.is_float and other.is_float):
            return False
        if self.is_grouped is not other.is_grouped:
            ungrouped = other if self.is_grouped else self
            if abs(ungrouped.value) >= 1000:
                return False
        if math.isinf(self.value) or math.isinf(other.value):
            return False
        return abs(self.value - other.value) <= within


def numbers_in(text: str) -> list[Number]:
    """Return the numbers in a text, including whole numbers, in order."""
    return list(_numbers(text))


def _numbers(text: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(text):
        number = _number(match)
        if number is not None:
            yield number


def _number(found: re.Match[str]) -> Number | None:
    if found.end() - found.start() > _MAX_LENGTH:
        return None
    whole, rest = found["whole"] or "", found["rest"]
    written = found[0].replace(",", "")
    return Number(
        start=found.start(),
        stop=found.end(),
        value=float(written),
        is_float=bool(rest),
        is_grouped="," in whole,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Atom:
    """A float, or a piece of text between blanks and floats, with its position in a line."""

    start: int
    stop: int
    text: str
    number: Number | None = None


def _atoms(line: str) -> Iterator[_Atom]:
    """Yield the atoms of a line one by one.

    It is a generator because a line may be a megabyte long.
    """
    at = 0
    for number in _numbers(line):
        if number.is_float:
            yield from _words(line, at, number.start)
            text = line[number.start : number.stop]
            yield _Atom(start=number.start, stop=number.stop, text=text, number=number)
            at = number.stop
    yield from _words(line, at, len(line))


def _words(line: str, start: int, stop: int) -> Iterator[_Atom]:
    for word in _WORD.finditer(line, start, stop):
        yield _Atom(start=word.start(), stop=word.end(), text=word[0])


def line_difference(expected: str, actual: str, within: float) -> tuple[int, int] | None:
    """Return the indexes, one for each line, at which two lines first differ; None if they are
    equal.

    Floats within the tolerance are equal. If one is longer, the number of blanks next to it may
    differ as long as the following text stays in its column.
    """
    end, other_end = 0, 0
    for left, right in zip_longest(_atoms(expected), _atoms(actual)):
        if left is None or right is None:
            return _first_difference(expected, end, actual, other_end)
        if not _is_spaced_alike(left, end, right, other_end):
            return _first_difference(expected, end, actual, other_end)
        if not _is_same_atom(left, right, within):
            if left.number is not None and right.number is not None:
                return left.start, right.start
            return _first_difference(expected, left.start, actual, right.start)
        end, other_end = left.stop, right.stop
    if expected[end:] == actual[other_end:]:
        return None
    return _first_difference(expected, end, actual, other_end)


def _is_spaced_alike(left: _Atom, end: int, right: _Atom, other_end: int) -> bool:
    gap, other_gap = left.start - end, right.start - other_end
    if gap == other_gap:
        return True
    if not gap or not other_gap:
        # Only at the start of a line may a number fill its column without a blank before it.
        is_first = not end and not other_end
        return is_first and left.number is not None and left.stop == right.stop
    return left.start == right.start or left.stop == right.stop


def _is_same_atom(left: _Atom, right: _Atom, within: float) -> bool:
    if left.number is None or right.number is None:
        return left.number is right.number and left.text == right.text
    return left.text == right.text or left.number.is_near(right.number, within)


def _first_difference(expected: str, start: int, actual: str, other_start: int) -> tuple[int, int]:
    shared = 0
    for left, right in zip(expected[start:], actual[other_start:], strict=False):
        if left != right:
            break
        shared += 1
    return start + shared, other_start + shared


def without_floats(line: str) -> str:
    """Return the line's words with each float replaced by a sign, without blanks."""
    texts = []
    for atom in _atoms(line):
        texts.append("\0" if atom.number else atom.text)
    return "".join(texts)


def contains_near(part: str, text: str, within: float) -> bool:
    """Return whether the text contains the part, except for floats within the tolerance."""
    if part in text:
        return True
    wanted = _floats(part)
    found = _floats(text)
    if not wanted:
        return False
    between = _texts_between(part, wanted)
    between_found = _texts_between(text, found)
    for first in range(len(found) - len(wanted) + 1):
        behind = first + len(wanted)
        texts = between_found[first : behind + 1]
        ends_fit = texts[0].endswith(between[0]) and texts[-1].startswith(between[-1])
        if ends_fit and texts[1:-1] == between[1:-1]:
            numbers = found[first:behind]
            if _are_near(wanted, numbers, within):
                return True
    return False


def _are_near(wanted: list[Number], numbers: list[Number], within: float) -> bool:
    return all(left.is_near(right, within) for left, right in zip(wanted, numbers, strict=True))


def _floats(text: str) -> list[Number]:
    return [number for number in numbers_in(text) if number.is_float]


def _texts_between(text: str, numbers: list[Number]) -> list[str]:
    """Return the texts before, between and after the numbers."""
    ends = [0, *(number.stop for number in numbers)]
    starts = [*(number.start for number in numbers), len(text)]
    return [text[end:start] for end, start in zip(ends, starts, strict=True)]
