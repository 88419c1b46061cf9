"""Lines of styled text for a terminal, with nothing but the standard library.

What is printed by `harness check` and by the self-check file is formatted here, so that both show
the same; `rich` is only one more way of printing it.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

Styled = tuple[str, str]  # a text, and its style: words of `_CODES`

_WORD = re.compile(r"\s*\S+\s*")
_CODES = {
    "bold": "1", "dim": "2", "italic": "3", "reverse": "7",
    "red": "31", "green": "32", "yellow": "33", "cyan": "36",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """One line, wrapped where it is too long: all of it `indent` columns to the right, and what is
    wrapped `hang` columns more."""

    spans: tuple[Styled, ...] = ()
    indent: int = 0
    hang: int = 0

    @property
    def text(self) -> str:
        """What it says."""
        return "".join(text for text, _ in self.spans)


def line(*parts: str | Styled, indent: int = 0, hang: int = 0) -> Line:
    """A line of plain texts and styled ones; none of them holds a line end."""
    spans = tuple((part, "") if isinstance(part, str) else part for part in parts)
    return Line(tuple(span for span in spans if span[0]), indent, hang)


def moved(lines: Iterable[Line], columns: int) -> list[Line]:
    """The lines so many columns further to the right."""
    return [replace(one, indent=one.indent + columns) for one in lines]


def wrapped(lines: Iterable[Line], width: int) -> Iterator[Line]:
    """Lines of at most `width` columns, broken between words where that can be."""
    for one in lines:
        width_left = max(width - one.indent, 8)
        if sum(map(_columns, one.text)) <= width_left:
            yield replace(one, hang=0)
            continue
        first, rest = width_left, max(width_left - one.hang, 8)
        starts = [0, *_breaks(one.text, first, rest), len(one.text)]
        for number, spans in enumerate(_cut(one.spans, starts)):
            yield Line(spans, one.indent + (one.hang if number else 0))


def as_text(lines: Iterable[Line], width: int, *, colours: bool = False) -> str:
    """All of it to print, the last line's end included."""
    shown: list[str] = []
    for one in wrapped(lines, width):
        spans = (_coloured(*span) if colours else span[0] for span in one.spans)
        shown.append((" " * one.indent + "".join(spans)).rstrip(" ") + "\n")
    return "".join(shown)


def _coloured(text: str, style: str) -> str:
    if not style:
        return text
    codes = ";".join(_CODES[word] for word in style.split())
    return f"\x1b[{codes}m{text}\x1b[0m"


def _breaks(text: str, first: int, rest: int) -> list[int]:
    """Where lines begin anew; a word longer than a line is cut."""
    places: list[int] = []
    width_left = left = first
    for word in _WORD.finditer(text):
        needs = sum(map(_columns, word.group().rstrip()))
        if needs > left:
            if word.start():
                places.append(word.start())
                width_left = left = rest
            at = word.start()
            while needs > width_left:
                taken = 0
                while taken + _columns(text[at]) <= width_left:
                    taken += _columns(text[at])
                    at += 1
                places.append(at)
                needs -= taken
                width_left = left = rest
            left = width_left - sum(map(_columns, text[at : word.end()]))
        else:
            left -= sum(map(_columns, word.group()))
    return places


def _cut(spans: tuple[Styled, ...], starts: list[int]) -> Iterator[tuple[Styled, ...]]:
    """The parts between these characters, each without blanks at its end."""
    index = offset = 0
    for start, end in itertools.pairwise(starts):
        left, parts = end - start, list[Styled]()
        while left:
            text, style = spans[index]
            part = text[offset : offset + left]
            parts.append((part, style))
            left, offset = left - len(part), offset + len(part)
            if offset == len(text):
                index, offset = index + 1, 0
        while parts and not parts[-1][0].rstrip():
            parts.pop()
        if parts:
            parts[-1] = (parts[-1][0].rstrip(), parts[-1][1])
        yield tuple(parts)


def _columns(character: str) -> int:
    if " " <= character <= "~":
        return 1
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
