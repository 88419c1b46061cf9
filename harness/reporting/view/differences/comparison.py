"""Expected beside actual: aligned rows with the first difference marked and blanks as signs.

A judged `Difference` says what differs; a `Comparison` is what pages and terminals show of it.
"""

from __future__ import annotations

import difflib
import itertools
from dataclasses import dataclass, replace

from harness.common.escaping import visible
from harness.model.verdict import Channel, Difference, DiffLine
from harness.reporting.view.differences.cells import (
    EMPTY_FILE,
    NO_LINE_END,
    NOTHING,
    NOTHING_PRINTED,
    Cell,
    Column,
    Spans,
    are_texts,
    cell_of,
    item_spans,
)
from harness.reporting.view.differences.grids import VALUES, GridPair, grid_pair
from harness.reporting.view.words import ending

_MOST_ROWS = 60
_ROWS_AFTER = 16  # the first that differs
_ROWS_BEFORE = 8
_AT_A_GLANCE = 30  # characters of two texts, one below the other
_CONTEXT = 12  # lines: a judged text begins at most so many before its first difference
_MOST_LINES_ALIGNED = 200  # aligning costs the product of both sides
_TEXTS = frozenset({Channel.PRINTS, Channel.WRITES, Channel.SHOWS})
_NOTHING = {Channel.WRITES: EMPTY_FILE, Channel.SHOWS: NOTHING}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Two aligned lines."""

    expected: Cell
    actual: Cell
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a reader sees of one difference.

    `in_words`: the one row is not aligned, because the expectation is described in words.
    `left_out_before` and `left_out_after` count the rows that are not shown, `more_expected` and
    `more_actual` each side's lines after them. `first_line` is the number of the very first line in
    the whole text; None where that is not known. `grids` draw the same where both sides are boards.
    """

    channel: Channel
    subject: str
    rows: tuple[Row, ...]
    in_words: bool = False
    left_out_before: int = 0
    left_out_after: int = 0
    more_expected: int = 0
    more_actual: int = 0
    first_line: int | None = None
    grids: GridPair | None = None

    @property
    def differs(self) -> bool:
        """Whether any row shown differs."""
        return any(not row.same for row in self.rows)

    @property
    def stacked(self) -> bool:
        """Whether one side is shown below the other: each is one line."""
        return len(self.rows) == 1 and not self.left_out_before and not self.left_out_after

    @property
    def is_silent(self) -> bool:
        """Whether the actual side has no line at all."""
        return all(row.actual.note for row in self.rows)

    @property
    def expects_nothing(self) -> bool:
        """Whether the expected side has no line at all."""
        return bool(self.rows) and all(row.expected.note for row in self.rows)

    @property
    def of_values(self) -> bool:
        """Whether two values are compared, not two texts."""
        return self.channel in VALUES

    @property
    def where(self) -> str:
        """The first difference in words; empty where nothing is aligned."""
        if self.grids is not None:
            return self.grids.where
        found = next((i for i, row in enumerate(self.rows) if not row.same), None)
        if found is None or self.is_silent or self.expects_nothing:
            return ""
        row = self.rows[found]
        if self.of_values and not (self.stacked and are_texts(row.expected.text, row.actual.text)):
            return ""  # its items are marked
        if self.stacked and max(len(row.expected.text), len(row.actual.text)) <= _AT_A_GLANCE:
            return ""
        line = "the marked line"
        if self.first_line is not None and not self.stacked:
            # Until the first difference both sides have the same lines.
            line = f"line {self.first_line + self.left_out_before + found}"
        if row.actual.note:
            return f"First difference: {line} is missing."
        if row.expected.note:
            return f"First difference: {line} is one too many."
        at = row.actual.mark if row.actual.mark is not None else row.expected.mark
        if at is None:
            return ""
        place = f"character {at + 1}" if not row.actual.cut_before else "the marked character"
        where = place if self.stacked else f"{line}, {place}"
        is_file = self.channel is Channel.WRITES
        if (end := _line_ends(row, at)) is not None:
            end = f"your {'file has' if is_file else 'program prints'} {end}"
            return f"First difference: {line if not self.stacked else 'the end'}: {end}."
        wanted, has = _character(row.expected, at), _character(row.actual, at)
        yours = "your file" if is_file else "your program"
        return f"First difference: {where}: expected {wanted}, {yours} has {has}."


def _line_ends(row: Row, at: int) -> str | None:
    """How two lines differ that differ in their ends alone."""
    if at < len(row.expected.text) or at < len(row.actual.text):
        return None
    if row.actual.end == NO_LINE_END:
        return "no line end there"
    return "a line end that should not be there"


def _character(cell: Cell, at: int) -> str:
    if at >= len(cell.text):
        return "the end of the line" if cell.end else "the end"
    names = {" ": "a space", "\t": "a tab"}
    return names.get(cell.text[at], f"“{visible(cell.text[at])}”")


def comparison(difference: Difference) -> Comparison:
    """A judged difference as rows."""
    lines = difference.lines
    if not lines and difference.at_column is not None:
        lines = (DiffLine(expected=difference.expected, actual=difference.actual),)
    if lines:
        found = _aligned_rows(lines, difference.channel, difference.subject)
        first = next((i for i, line in enumerate(lines) if line.expected != line.actual), 0)
        return replace(
            found,
            grids=grid_pair(difference),
            first_line=1 if first < _CONTEXT else None,
        )
    expected, actual = difference.expected, difference.actual
    if difference.channel is Channel.ENDING:
        expected, actual = ending(expected), ending(actual)
    return Comparison(
        channel=difference.channel,
        subject=difference.subject,
        rows=(
            Row(
                expected=cell_of(expected),
                actual=_words_cell(actual, difference.channel),
                same=True,
            ),
        ),
        in_words=True,
    )


def _words_cell(actual: str, channel: Channel) -> Cell:
    return cell_of(actual) if actual else Cell(note=_nothing(channel))


def _nothing(channel: Channel) -> str:
    return _NOTHING.get(channel, NOTHING_PRINTED)


def of_texts(expected: str, actual: str, subject: str) -> Comparison:
    """Two printed texts as rows."""
    rows = _aligned_rows(aligned(expected, actual), Channel.PRINTS, subject)
    return replace(rows, first_line=1)


def aligned(expected: str, actual: str) -> tuple[DiffLine, ...]:
    """The lines of two texts side by side. A last line without a line end is a line as well, so
    that "a" and "a\\n" differ by an empty line."""
    left, right = expected.split("\n"), actual.split("\n")
    if len(left) > _MOST_LINES_ALIGNED or len(right) > _MOST_LINES_ALIGNED:
        return tuple(_paired(left, right))
    found: list[DiffLine] = []
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            found += [DiffLine(expected=line, actual=line) for line in left[i1:i2]]
        else:
            found += _paired(left[i1:i2], right[j1:j2])
    return tuple(found)


def _paired(left: list[str], right: list[str]) -> list[DiffLine]:
    pairs = itertools.zip_longest(left, right)
    return [DiffLine(expected=expected, actual=actual) for expected, actual in pairs]


def first_difference(expected: str, actual: str) -> int:
    """The index of the first character that differs; the shorter length when one starts so."""
    for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
        if left != right:
            return index
    return min(len(expected), len(actual))


def _aligned_rows(lines: tuple[DiffLine, ...], channel: Channel, subject: str) -> Comparison:
    is_text = channel in _TEXTS  # their lines have line ends, values have none
    nothing = _nothing(channel)
    left = Column([line.expected for line in lines], nothing)
    right = Column([line.actual for line in lines], nothing)
    if is_text:
        left.fold_last_end()
        right.fold_last_end()
    there = [
        i for i in range(len(lines)) if left.lines[i] is not None or right.lines[i] is not None
    ]
    differing = {i for i in there if left.differs(right, i)}
    first = next((place for place, i in enumerate(there) if i in differing), None)
    start = max(0, (first or 0) - _ROWS_BEFORE) if len(there) > _MOST_ROWS else 0
    stop = min(len(there), start + _MOST_ROWS)
    if first is not None and stop - first > _ROWS_AFTER + 2:
        stop = first + _ROWS_AFTER
    rows: list[Row] = []
    for place in range(start, stop):
        i = there[place]
        at = first_difference(left.lines[i] or "", right.lines[i] or "")
        pair = left.lines[i], right.lines[i]
        mark, signs = place == first, is_text and i in differing
        marks: tuple[Spans, Spans] = ((), ())
        if channel in VALUES:
            mark = mark and are_texts(*pair)
            marks = item_spans(*pair) if i in differing else marks
        elif None in pair:
            marks = ((0, len(pair[0] or "")),), ((0, len(pair[1] or "")),)
        rows.append(
            Row(
                expected=left.cell(i, right, at, mark=mark, marks=marks[0], signs=signs),
                actual=right.cell(i, left, at, mark=mark, marks=marks[1], signs=signs),
                same=i not in differing,
            )
        )
    return Comparison(
        channel=channel,
        subject=subject,
        rows=tuple(rows),
        left_out_before=start,
        left_out_after=len(there) - stop,
        more_expected=sum(left.has(i) for i in there[stop:]),
        more_actual=sum(right.has(i) for i in there[stop:]),
    )
