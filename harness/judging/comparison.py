"""Two values or two texts side by side: aligned rows with what differs of them marked, and boards
beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache

from harness.judging.alignment import CONTEXT, WINDOW, Opposite, shared_start, side_by_side, window
from harness.judging.boards import grid_pair
from harness.matchers import same
from harness.model.values import Value, ValueKind
from harness.model.verdict import (
    OF_VALUES,
    Absence,
    Cell,
    Channel,
    ComparedRow,
    Comparison,
    LineEnd,
    Span,
)

LONGEST_LINE = 400  # characters, of what is stored of a line
LONGEST_VALUE = 4000
_BEFORE_MARK = 60
_ONE_LINE = 60  # a value longer than this is shown item by item
_LONGEST_MARKED = 1000  # characters of a value, in which items are marked
_DEEPEST = 6
_SEQUENCES = frozenset({ValueKind.LIST, ValueKind.TUPLE})
_NOT_PYTHON = frozenset(
    {ValueKind.FUNCTION, ValueKind.UNREADABLE, ValueKind.TOO_LARGE, ValueKind.ITERATOR}
)

_MOST_ROWS = 60
_ROWS_AFTER = 16  # the first that differs
_ROWS_BEFORE = 8

_NOTHING = {Channel.WRITES: Absence.EMPTY_FILE, Channel.SHOWS: Absence.NOTHING_SHOWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line of one side, and the value of which it is the source."""

    text: str
    value: Value | None = None


class _Side:
    """The lines of one side that stand in rows, None in a row where it has none."""

    def __init__(self, lines: Sequence[_Line], numbers: Sequence[int | None], channel: Channel):
        self.rows = [None if number is None else lines[number] for number in numbers]
        shown = [number for number in numbers if number is not None]
        self.after = len(lines) - 1 - shown[-1] if shown else 0
        self.unended: int | None = None  # the row of a last line without a line end
        self._ended: int | None = None  # the row after a last line with one
        self.nothing = Absence.MISSING
        if channel in OF_VALUES or self.after:
            return
        last = numbers.index(shown[-1])
        if lines[-1].text:
            self.unended = last
        else:
            self.rows[last] = None  # the empty line after the last line end is none
            self._ended = last
        if not any(self.rows):
            self.nothing = _NOTHING.get(channel, Absence.NOTHING_PRINTED)

    def text(self, index: int) -> str:
        """The line's text; empty where there is none."""
        line = self.rows[index]
        return "" if line is None else line.text

    def differs(self, other: _Side, index: int) -> bool:
        """Whether the two lines or their ends differ."""
        has = self.rows[index] is not None, other.rows[index] is not None
        if not all(has) or self.text(index) != other.text(index):
            return any(has)
        return self._ends_differ(other, index)

    def _ends_differ(self, other: _Side, index: int) -> bool:
        """Whether one of two lines lacks its line end."""
        both = self.rows[index] is not None and other.rows[index] is not None
        return both and (index == self.unended) is not (index == other.unended)

    def cell(
        self,
        index: int,
        other: _Side,
        at: int,
        marks: Sequence[Span],
        *,
        mark: bool,
        signs: bool,
    ) -> Cell:
        """The cell of a line, whose first difference is at the index `at`."""
        if self.rows[index] is None:
            return Cell(
                note=self.nothing, end=LineEnd.SIGN if index == self._ended else LineEnd.NOTHING
            )
        lacks_end = index == self.unended and self._ends_differ(other, index)
        end = LineEnd.LACKING if lacks_end else LineEnd.SIGN
        return _cell(self.text(index), at, mark=mark, marks=marks, signs=signs, end=end)


def compare_texts(channel: Channel, subject: str, expected: str, actual: str) -> Comparison:
    """Two texts, line by line."""
    return replace(_of_texts(channel, expected, actual), subject=subject)


@lru_cache(maxsize=1)  # a turn is a difference, and the end of its conversation as well
def _of_texts(channel: Channel, expected: str, actual: str) -> Comparison:
    left, right = expected.split("\n"), actual.split("\n")
    pairs = window(left, right)
    sides = ([_Line(text=text) for text in lines] for lines in (left, right))
    return _aligned(channel, pairs, *sides)


def compare_values(channel: Channel, subject: str, expected: Value, actual: Value) -> Comparison:
    """Two values, written as Python: on one line each, or item by item."""
    left, right = _value_lines(expected, actual)
    if len(left) == len(right):
        pairs = side_by_side(range(len(left)), range(len(right)))
    else:
        pairs = window([line.text for line in left], [line.text for line in right])
    found = _aligned(channel, pairs, left, right)
    # What comes before the window are no lines of a text, whose number a reader would need.
    before = found.left_out_before - min(pairs[0].expected or 0, pairs[0].actual or 0)
    return replace(
        found, subject=subject, left_out_before=before, grids=grid_pair(expected, actual)
    )


def described(channel: Channel, subject: str, expected: str, actual: str) -> Comparison:
    """What is expected in words, beside what there is."""
    nothing = _NOTHING.get(channel, Absence.NOTHING_PRINTED)
    cell = _cell(actual) if actual else Cell(note=nothing)
    row = ComparedRow(expected=_cell(expected), actual=cell, same=True)
    return Comparison(channel=channel, subject=subject, rows=(row,), in_words=True)


def _value_lines(expected: Value, actual: Value) -> tuple[list[_Line], list[_Line]]:
    """Both values' source, long lists and tuples with one item a line (those near the first that
    differs: there may be very many)."""
    first = 0
    for left, right in zip(expected.items, actual.items, strict=False):
        if not same(left, right):
            break
        first += 1
    start = max(0, first - CONTEXT)
    return _item_lines(expected, start), _item_lines(actual, start)


def _item_lines(value: Value, start: int) -> list[_Line]:
    whole = value.source(LONGEST_VALUE * 2)
    if len(whole) <= _ONE_LINE or len(value.items) < 2 or whole[0] not in "[(":
        return [_Line(text=whole, value=value)]
    shown = value.items[start : start + CONTEXT + WINDOW]
    lines = [_Line(text=f"    {item.source(2 * LONGEST_LINE)},", value=item) for item in shown]
    if start:
        lines.insert(0, _Line(text=f"    # … {start} items before"))
    if len(value.items) > start + len(shown):
        lines.append(_Line(text=f"    # … {len(value.items) - start - len(shown)} items after"))
    return [_Line(text=whole[0]), *lines, _Line(text="]" if whole[0] == "[" else ")")]


def _aligned(
    channel: Channel, pairs: Sequence[Opposite], expected: Sequence[_Line], actual: Sequence[_Line]
) -> Comparison:
    """The rows around the first that differs."""
    left = _Side(expected, [pair.expected for pair in pairs], channel)
    right = _Side(actual, [pair.actual for pair in pairs], channel)
    there = [i for i in range(len(pairs)) if left.rows[i] is not None or right.rows[i] is not None]
    differing = [i for i in there if left.differs(right, i)]
    first = there.index(differing[0]) if differing else None
    start = max(0, (first or 0) - _ROWS_BEFORE) if len(there) > _MOST_ROWS else 0
    stop = min(len(there), start + _MOST_ROWS)
    if first is not None and stop - first > _ROWS_AFTER + 2:
        stop = first + _ROWS_AFTER
    rows = [
        _row(left, right, i, channel, is_first=i in differing[:1], differs=i in differing)
        for i in there[start:stop]
    ]
    more = [
        side.after + sum(side.rows[i] is not None for i in there[stop:]) for side in (left, right)
    ]
    return Comparison(
        channel=channel,
        subject="",
        rows=tuple(rows),
        left_out_before=start + min(pairs[0].expected or 0, pairs[0].actual or 0),
        left_out_after=max(len(there) - stop, *more),
        more_expected=more[0],
        more_actual=more[1],
    )


def _row(
    left: _Side, right: _Side, index: int, channel: Channel, *, is_first: bool, differs: bool
) -> ComparedRow:
    one, other = left.rows[index], right.rows[index]
    at = shared_start(left.text(index), right.text(index))
    spans: tuple[Sequence[Span], Sequence[Span]] = ((), ())
    of_texts = channel not in OF_VALUES
    if of_texts and (one is None or other is None):
        spans = [_whole(left.text(index))], [_whole(right.text(index))]
    elif not of_texts and differs and not _are_texts(one, other):
        marked = _Marked(one, other)
        spans = marked.expected, marked.actual
    cells = [
        side.cell(
            index,
            opposite,
            at,
            marks,
            mark=is_first and (of_texts or _are_texts(one, other)),
            signs=of_texts and differs,
        )
        for side, opposite, marks in ((left, right, spans[0]), (right, left, spans[1]))
    ]
    return ComparedRow(expected=cells[0], actual=cells[1], same=not differs)


def _whole(text: str) -> Span:
    return Span(start=0, stop=len(text))


def _cell(
    text: str,
    at: int = 0,
    *,
    mark: bool = False,
    marks: Sequence[Span] = (),
    signs: bool = False,
    end: LineEnd = LineEnd.NOTHING,
) -> Cell:
    """A line as a cell; of a long one the part around `at`, the first difference."""
    start = max(0, at - _BEFORE_MARK) if len(text) > LONGEST_LINE else 0
    stop = min(len(text), start + LONGEST_LINE)
    ends_here = mark and at == stop == len(text)
    inside = (
        Span(start=max(span.start, start) - start, stop=min(span.stop, stop) - start)
        for span in marks
    )
    return Cell(
        text=text[start:stop],
        mark=at - start if mark else None,
        marks=tuple(span for span in inside if span.start < span.stop),
        cut_before=start > 0,
        cut_after=stop < len(text),
        signs=signs,
        end=end if stop == len(text) and (signs or ends_here) else LineEnd.NOTHING,
    )


def _are_texts(expected: _Line | None, actual: _Line | None) -> bool:
    """Whether both are texts: those differ by character, and not by item."""
    values = [None if line is None else line.value for line in (expected, actual)]
    return all(value is not None and value.kind is ValueKind.STR for value in values)


class _Marked:
    """The characters of two lines that make up the items that differ."""

    def __init__(self, expected: _Line | None, actual: _Line | None) -> None:
        self.expected: list[Span] = []
        self.actual: list[Span] = []
        for line in (expected, actual):
            if line is None or line.value is None or not _is_python(line.value, line.text):
                return
        assert expected is not None and expected.value is not None
        assert actual is not None and actual.value is not None
        starts = (len(line.text) - len(line.text.lstrip()) for line in (expected, actual))
        self._mark(expected.value, next(starts), actual.value, next(starts), _DEEPEST)

    def _mark(self, left: Value, start: int, right: Value, other_start: int, deepest: int) -> None:
        """Mark the innermost items that differ of two values that do, from these characters on; an
        item that only one side has is opposite nothing."""
        if left.kind is not right.kind or left.kind not in _SEQUENCES or not deepest:
            self.expected.append(Span(start=start, stop=start + len(left.source())))
            self.actual.append(Span(start=other_start, stop=other_start + len(right.source())))
            return
        spans, others = _spans_of_items(left, start), _spans_of_items(right, other_start)
        ours, theirs = ([item.source() for item in side.items] for side in (left, right))
        if len(ours) == len(theirs):
            for i, (one, other) in enumerate(zip(ours, theirs, strict=True)):
                if one != other:
                    self._mark(
                        left.items[i], spans[i].start, right.items[i], others[i].start, deepest - 1
                    )
            return
        for tag, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
            if tag != "equal":
                self.expected += spans[a:b]
                self.actual += others[c:d]


def _spans_of_items(value: Value, start: int) -> list[Span]:
    """The characters of each item of a list or a tuple whose source begins there."""
    found: list[Span] = []
    start += len("[")
    for item in value.items:
        found.append(Span(start=start, stop=start + len(item.source())))
        start = found[-1].stop + len(", ")
    return found


def _is_python(value: Value, text: str) -> bool:
    """Whether all of it is written as Python would be, and on a line of moderate length."""
    pending = [value] if len(text) <= _LONGEST_MARKED else []
    while pending:
        part = pending.pop()
        if part.kind in _NOT_PYTHON or part.source(1)[:1] == "<":
            return False
        pending += part.items
    return len(text) <= _LONGEST_MARKED
