"""The student's own lines beside a cause: those that a reader needs, with their numbers."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from harness.model.verdict import CodePlace

WHOLE = 30  # lines: a function of so many is shown whole
_BEGINNING = 18  # of a longer one in which no line is marked
_END = 8
_AROUND = 6  # lines before and after a marked one
_MOST_MARKED = 6
_QUOTES = ('"""', "'''")
_TAB = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLine:
    """A line of the student's with its number; `number` None stands for lines left out. `marked`:
    the very line that matters. `depth` is by how many characters it is indented."""

    number: int | None = None
    text: str = "…"
    marked: bool = False
    depth: int = 0


def own_lines(place: CodePlace, marked: Collection[int] = ()) -> list[OwnLine]:
    """The lines of a function without a long docstring: all of them, or of a long function its
    head and those around the marked ones, else its beginning and its end. What is left out is seen
    to be, and never a single line."""
    numbered = dict(enumerate(place.text, place.first))
    wanted = [number for number in numbered if number in marked][:_MOST_MARKED]
    shown = [number for number in numbered if number not in _docstring(place)]
    if len(shown) > WHOLE and wanted:
        near = {n for one in wanted for n in range(one - _AROUND, one + _AROUND + 1)}
        shown = [number for number in shown if number in near or number == shown[0]]
    elif len(shown) > WHOLE:
        shown = [*shown[:_BEGINNING], *shown[-_END:]]
    found: list[OwnLine] = []
    before = place.first - 1
    for number in [*shown, place.last + 1]:
        left_out = number - before - 1
        if left_out == 1 and number - 1 in numbered:
            found.append(_line(number - 1, numbered, wanted))
        elif left_out:
            found.append(OwnLine())
        if number in numbered:
            found.append(_line(number, numbered, wanted))
        before = number
    return found


def _line(number: int, numbered: dict[int, str], marked: Collection[int]) -> OwnLine:
    text = numbered[number].expandtabs(_TAB)
    depth = len(text) - len(text.lstrip(" "))
    return OwnLine(number=number, text=numbered[number], marked=number in marked, depth=depth)


def with_number(place: CodePlace, number: str) -> list[int]:
    """The lines in which a number is written out, comments left aside."""
    written = re.compile(rf"(?<![\w.]){re.escape(number)}(?![\w.])")
    return [
        line
        for line, text in enumerate(place.text, place.first)
        if written.search(text.partition("#")[0]) and line not in _docstring(place)
    ]


def _docstring(place: CodePlace) -> range:
    """The line numbers of a function's docstring."""
    begin = next((i for i, text in enumerate(place.text) if _opens(text)), None)
    if begin is None or begin >= WHOLE:
        return range(0)
    quotes = place.text[begin].strip().lstrip("rRuU")[:3]
    first = place.first + begin
    if place.text[begin].count(quotes) > 1:
        return range(first, first + 1)
    ends = (i for i in range(begin + 1, len(place.text)) if quotes in place.text[i])
    return range(first, place.first + next(ends, len(place.text) - 1) + 1)


def _opens(text: str) -> bool:
    return text.strip().lstrip("rRuU").startswith(_QUOTES)
