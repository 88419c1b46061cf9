"""Chooses the lines of a student's program that help to understand a cause."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from harness.model.verdict import CodePlace, Suspect
from harness.results.redaction import ShownCause

_MAX_SUSPECT_PLACES = 2
TAB_WIDTH = 4
WHOLE = 30  # a function of up to this many lines is shown whole
_BEGINNING = 18  # lines shown of a longer function without marked lines
_END = 8
_AROUND = 6  # lines before and after a marked one
_MAX_MARKED = 6
_QUOTES = ('"""', "'''")


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPlace:
    """Lines of the student's file, with the lines to highlight: known to be wrong (`exact`) or
    only suspected.

    `near` lists other possible lines, which are not highlighted; a long function is shown around
    them.
    """

    place: CodePlace
    marked: list[int]
    near: list[int] = field(default_factory=list)
    exact: bool = True
    function: str = ""  # heading; empty if the page has named it already


def marked_lines(cause: ShownCause) -> list[MarkedPlace]:
    """Return the places in the student's file that help to understand a cause.

    For a hard-coded number, these are the lines that contain it. Otherwise: the place of the
    mistake, the line of the exception, and the most suspect lines in other functions. A helper
    comes before its caller.
    """
    known = _known_places(cause)
    suspects = [_suspect(suspect, cause) for suspect in cause.suspects]
    if cause.explanation is not None and cause.explanation.hard_coded is not None:
        number = str(cause.explanation.hard_coded.number)
        written = _places_with_number([*known, *suspects], number)
        if written:
            return written
    if any(place.marked for place in known):
        return [*known, *_without(suspects, known)[:1]]
    suspects = suspects[:_MAX_SUSPECT_PLACES]
    return [*suspects, *_without(known, suspects)]


def shows(places: Iterable[MarkedPlace], file: str, line: int) -> bool:
    """Return whether one of the places includes this line."""
    for place in places:
        if place.place.file == file and place.place.first <= line <= place.place.last:
            return True
    return False


def _known_places(cause: ShownCause) -> list[MarkedPlace]:
    """Return the places of the mistake and of the exception."""
    known: list[MarkedPlace] = []
    for place, line in ((cause.place, cause.line), (cause.raised_in, cause.raised_at)):
        if place is not None:
            known.append(MarkedPlace(place=place, marked=[line] if line else []))
    return known


def _places_with_number(places: Iterable[MarkedPlace], number: str) -> list[MarkedPlace]:
    """Return the places that contain the number, with its lines highlighted."""
    written: list[MarkedPlace] = []
    for place in places:
        lines = with_number(place.place, number)
        if lines:
            written.append(replace(place, marked=lines, exact=True))
    return written


def _without(places: Sequence[MarkedPlace], others: Sequence[MarkedPlace]) -> list[MarkedPlace]:
    """Return the places that are not in `others`."""
    shown = [other.place for other in others]
    return [place for place in places if place.place not in shown]


def _suspect(suspect: Suspect, cause: ShownCause) -> MarkedPlace:
    place = suspect.place
    function = suspect.function
    if function == cause.function:
        function = ""
    # Highlighting more than half of a function would not help. If lines of several
    # functions are suspect, the faulty line is too often another one (docs/causes.md).
    lines: list[int] = []
    if 2 * len(suspect.lines) <= place.last - place.first:
        lines = list(suspect.lines)
    if len(cause.suspects) == 1:
        return MarkedPlace(place=place, marked=lines, exact=False, function=function)
    return MarkedPlace(place=place, marked=[], near=lines, exact=False, function=function)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnLine:
    """A line of the student's program."""

    number: int | None = None  # None for omitted lines
    text: str = "…"
    marked: bool = False  # the line known to be wrong


def own_lines(
    place: CodePlace, marked: Collection[int] = (), near: Collection[int] = ()
) -> list[OwnLine]:
    """Return the lines to show of a function, without its docstring.

    For a long function, these are its head and the lines around the `marked` ones; otherwise around
    `near`, the possible places of the mistake; otherwise its beginning and end. A gap is never only
    one line.
    """
    numbered = dict(enumerate(indented(place.text), place.first))
    docstring = _docstring(place)
    shown = [number for number in numbered if number not in docstring]
    marked_numbers = _first_few(numbered, marked)
    if len(shown) > WHOLE:
        shown = _shortened(shown, marked_numbers or _first_few(numbered, near))
    is_shown = set(shown).__contains__
    lines: list[OwnLine] = []
    for in_view, group in itertools.groupby(range(place.first, place.last + 1), is_shown):
        numbers = list(group)
        is_single = len(numbers) == 1 and numbers[0] in numbered
        if not in_view and not is_single:
            lines.append(OwnLine())
            continue
        for number in numbers:
            is_marked = number in marked_numbers
            lines.append(OwnLine(number=number, text=numbered[number], marked=is_marked))
    return lines


def _first_few(lines: Iterable[int], chosen: Collection[int]) -> list[int]:
    return [line for line in lines if line in chosen][:_MAX_MARKED]


def _shortened(lines: Sequence[int], centres: Sequence[int]) -> list[int]:
    """Return the first line and the lines around `centres`; without centres, the beginning and
    end.
    """
    if not centres:
        return [*lines[:_BEGINNING], *lines[-_END:]]
    around = {lines[0]}
    for centre in centres:
        around.update(range(centre - _AROUND, centre + _AROUND + 1))
    return [line for line in lines if line in around]


def indented(lines: Sequence[str]) -> list[str]:
    """Return Python lines with tabs replaced by spaces.

    A tab stays if spaces also occur in the indentation, because Python may then interpret the line
    differently.
    """
    fronts = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines]
    if not {" ", "\t"} <= set("".join(fronts)):
        return [line.expandtabs(TAB_WIDTH) for line in lines]
    shown: list[str] = []
    for front, line in zip(fronts, lines, strict=True):
        shown.append(front + line[len(front) :].expandtabs(TAB_WIDTH))
    return shown


def with_number(place: CodePlace, number: str) -> list[int]:
    """Return the numbers of the lines that contain this number outside comments."""
    written = re.compile(rf"(?<![\w.]){re.escape(number)}(?![\w.])")
    docstring = _docstring(place)
    found: list[int] = []
    for line, text in enumerate(place.text, place.first):
        code = text.partition("#")[0]
        if line not in docstring and written.search(code):
            found.append(line)
    return found


def _docstring(place: CodePlace) -> range:
    """Return the line numbers of a function's docstring; empty if it has none."""
    lines = [text.strip() for text in place.text]
    begin = _after_header(lines)
    if begin is None:
        return range(0)
    text = lines[begin]
    quotes = text.lstrip("rRuU")[:3]
    if quotes not in _QUOTES:
        return range(0)
    end = begin
    if text.count(quotes) == 1:
        others = range(begin + 1, len(lines))
        end = next((at for at in others if quotes in lines[at]), len(lines) - 1)
    return range(place.first + begin, place.first + end + 1)


def _after_header(lines: Sequence[str]) -> int | None:
    """Return the index of the first non-empty line after a function's header; None if there is
    none.
    """
    header = 0
    for place, text in enumerate(lines):
        code = text.partition("#")[0].rstrip()
        if code.endswith(":"):
            header = place
            break
    for place in range(header + 1, len(lines)):
        if lines[place]:
            return place
    return None
