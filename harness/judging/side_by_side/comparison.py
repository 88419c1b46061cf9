"""Shows two values or two texts side by side, in aligned rows with the differences marked.

Only rows from shortly before the first difference on are aligned: aligning takes time proportional
to the product of both lengths, and a program can print 256 KiB of line ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import zip_longest
from operator import eq

from harness.common.escaping import quoted
from harness.judging.compare.value import first_differing
from harness.judging.side_by_side.boards import grid_pair, rows_of
from harness.matchers.comparison import (
    difference_of,
    normalised,
    shown_lines,
    with_equal_lines,
)
from harness.model.expectation import EXACT, TextRules
from harness.model.values import SEQUENCES, Value, ValueKind
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

CONTEXT = 12
WINDOW = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposite:
    """Two lines shown next to each other, as 0-based line numbers; None if a side has no line
    there.
    """

    expected: int | None
    actual: int | None


def window(expected: Sequence[str], actual: Sequence[str]) -> list[Opposite]:
    """Return the aligned lines around the first difference of two texts."""
    first = shared_start(expected, actual)
    start = max(0, first - CONTEXT)
    return aligned(expected[start : first + WINDOW], actual[start : first + WINDOW], start)


def shared_start(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the number of equal items at the start of two sequences."""
    for index, (item, other) in enumerate(zip(left, right, strict=False)):
        if item != other:
            return index
    return min(len(left), len(right))


def shared_end(left: Sequence[str], right: Sequence[str], most: int) -> int:
    """Return the number of equal items at the end of two sequences, at most `most`."""
    return min(most, shared_start(left[::-1], right[::-1]))


def quoted_pair(expected: str | None, actual: str | None) -> tuple[str, str]:
    """Return two lines in quotes, each shortened to the text around the first difference.

    None stands for the end of the text.
    """
    at = shared_start(expected or "", actual or "")
    return _quoted_line(expected, at), _quoted_line(actual, at)


def _quoted_line(line: str | None, at: int) -> str:
    if line is None:
        return "the end of the text"
    return quoted(line, at=at)


def aligned(expected: Sequence[str], actual: Sequence[str], number: int = 0) -> list[Opposite]:
    """Return all lines of both sides in order, equal lines opposite each other.

    Line numbers start at `number`.
    """
    shorter = min(len(expected), len(actual))
    start = shared_start(expected, actual)
    end = shared_end(expected, actual, shorter - start)
    left = expected[start : len(expected) - end]
    right = actual[start : len(actual) - end]
    blocks = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    numbers = range(number, number + len(expected))
    others = range(number, number + len(actual))
    if len(left) == len(right) and _stay_opposite(left, right, blocks):
        return side_by_side(numbers, others)
    pairs = side_by_side(numbers[:start], others[:start])
    inner, other_inner = numbers[start:], others[start:]
    for _, first, stop, other_first, other_stop in blocks:
        pairs += side_by_side(inner[first:stop], other_inner[other_first:other_stop])
    last, other_last = numbers[len(numbers) - end :], others[len(others) - end :]
    return pairs + side_by_side(last, other_last)


_Opcode = tuple[str, int, int, int, int]  # as `difflib.SequenceMatcher.get_opcodes` returns them


def _stay_opposite(left: Sequence[str], right: Sequence[str], blocks: Sequence[_Opcode]) -> bool:
    """Return whether pairing lines by number makes at least as many equal lines opposite each
    other as this alignment.

    This is typical of boards, whose rows must stay opposite each other even if other rows look the
    same.
    """
    common = 0
    for tag, first, stop, _, _ in blocks:
        if tag == "equal":
            common += stop - first
    opposite = sum(map(eq, left, right))
    return 2 * common <= len(left) or opposite >= common - 1


def side_by_side(left: Sequence[int], right: Sequence[int]) -> list[Opposite]:
    """Return the lines with these numbers paired in order, without aligning them."""
    return [
        Opposite(expected=expected, actual=actual) for expected, actual in zip_longest(left, right)
    ]


MAX_LINE = 400  # maximum number of characters stored for a line
MAX_VALUE = 4000
_BEFORE_MARK = 60
_ONE_LINE = 60  # longer values are shown one item a line
_MAX_MARKED = 1000  # maximum length of a value in which items are marked
_MAX_DEPTH = 6
_NOT_PYTHON = frozenset(
    {ValueKind.FUNCTION, ValueKind.UNREADABLE, ValueKind.TOO_LARGE, ValueKind.ITERATOR}
)

_MAX_ROWS = 60
_ROWS_AFTER = 16  # after the first difference
_ROWS_BEFORE = 8

_NOTHING = {Channel.WRITES: Absence.EMPTY_FILE, Channel.SHOWS: Absence.NOTHING_SHOWN}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """The lines of one side. If it shows a value, also the part of the value in each line."""

    lines: Sequence[str]
    values: Sequence[Value | None] = ()
    keys: Sequence[str] = ()  # the compared part of each line, if some differences are ignored
    rules: TextRules = EXACT


class _SideInRows:
    """The lines of one side, assigned to the rows of the comparison; None for a row without a
    line.
    """

    def __init__(self, side: _Side, numbers: Sequence[int | None], channel: Channel) -> None:
        self._side = side
        self._numbers = list(numbers)
        shown = [number for number in numbers if number is not None]
        self.after = 0
        if shown:
            self.after = len(side.lines) - 1 - shown[-1]
        self._unended: int | None = None  # row of the last line if it has no line end
        self._ended: int | None = None  # row after the last line if it has a line end
        self._absence = Absence.MISSING  # the note in a row without a line
        self.is_text = channel not in OF_VALUES
        if not self.is_text:
            return
        if self.after:
            self.after -= not side.lines[-1]  # the last line end is not followed by a line
            return
        self._note_last_line(numbers.index(shown[-1]), channel)

    def _note_last_line(self, row: int, channel: Channel) -> None:
        """Record in this row whether the text ends with a line end."""
        if self._side.lines[-1]:
            self._unended = row
        else:
            self._numbers[row] = None  # `split` gives '' after the last line end
            self._ended = row
        has_lines = any(number is not None for number in self._numbers)
        if not has_lines:
            self._absence = _NOTHING.get(channel, Absence.NOTHING_PRINTED)

    def row(self, index: int) -> str | None:
        number = self._numbers[index]
        if number is None:
            return None
        return self._side.lines[number]

    def value(self, index: int) -> Value | None:
        number = self._numbers[index]
        if number is None or not self._side.values:
            return None
        return self._side.values[number]

    def lines_in(self, rows: Sequence[int]) -> int:
        """Return how many of these rows have a line on this side."""
        numbers = [self._numbers[row] for row in rows]
        return len(numbers) - numbers.count(None)

    def key(self, index: int) -> str | None:
        """Return the part of the line that is compared; it may ignore white space or case."""
        number = self._numbers[index]
        if number is None:
            return None
        compared = self._side.keys or self._side.lines
        return compared[number]

    def first_difference(self, other: _SideInRows, index: int) -> tuple[int, int]:
        """Return the position of the first difference between two lines, as an index into each."""
        return difference_of(self.row(index) or "", other.row(index) or "", self._side.rules)

    def differs(self, other: _SideInRows, index: int) -> bool:
        return self.key(index) != other.key(index) or self._ends_differ(other, index)

    def _ends_differ(self, other: _SideInRows, index: int) -> bool:
        if self.row(index) is None or other.row(index) is None:
            return False
        is_unended = index == self._unended
        is_other_unended = index == other._unended
        return is_unended is not is_other_unended

    def cell(
        self, index: int, other: _SideInRows, at: int, marks: list[Span], *, mark: bool
    ) -> Cell:
        """Return the cell for a line whose first difference is at index `at`."""
        text = self.row(index)
        if text is None:
            end = LineEnd.NOTHING
            if index == self._ended:
                end = LineEnd.SIGN
            return Cell(note=self._absence, end=end)
        end = LineEnd.SIGN
        if index == self._unended and self._ends_differ(other, index):
            end = LineEnd.LACKING
        return _cell(text, at, mark=mark, marks=marks, signs=self.is_text, end=end)


def compare_texts(
    channel: Channel, subject: str, expected: str, actual: str, rules: TextRules = EXACT
) -> Comparison:
    """Compare two texts line by line.

    Differences that `rules` ignore are displayed but do not count.
    """
    return replace(_of_texts(channel, expected, actual, rules), subject=subject)


@lru_cache(maxsize=1)  # each turn is compared twice: for the difference and for the conversation
def _of_texts(channel: Channel, expected: str, actual: str, rules: TextRules) -> Comparison:
    lines, others = shown_lines(expected, rules), shown_lines(actual, rules)
    keys = [normalised(line, rules) for line in lines]
    other_keys = [normalised(line, rules) for line in others]
    other_keys = with_equal_lines(keys, other_keys, rules)
    left = _Side(lines=lines, keys=keys, rules=rules)
    right = _Side(lines=others, keys=other_keys, rules=rules)
    return _compared(channel, left, right, window(keys, other_keys))


def compare_values(channel: Channel, subject: str, expected: Value, actual: Value) -> Comparison:
    """Compare two values, written as Python source: each on one line, or one item on each line."""
    # Only items near the first difference are compared.
    start = max(0, first_differing(expected.items, actual.items) - CONTEXT)
    left, right = _source_of(expected, start), _source_of(actual, start)
    if len(left.lines) == len(right.lines):
        numbers = range(len(left.lines))
        pairs = side_by_side(numbers, numbers)
    else:
        pairs = window(left.lines, right.lines)
    compared = _compared(channel, left, right, pairs)
    grids = grid_pair(rows_of(expected), rows_of(actual))
    return replace(compared, subject=subject, grids=grids)


def described(
    channel: Channel, subject: str, expected: str, actual: str, *, mark: int | None = None
) -> Comparison:
    """Return a comparison with a description of the expected text on the left and the actual text
    on the right, with the character at `mark` marked.
    """
    absence = _NOTHING.get(channel, Absence.NOTHING_PRINTED)
    cell = Cell(note=absence)
    if actual:
        cell = _cell(actual, mark or 0, mark=mark is not None)
    row = ComparedRow(expected=_cell(expected), other=cell)
    return Comparison(channel=channel, subject=subject, rows=(row,), in_words=True)


def listed(channel: Channel, subject: str, expected: str, lines: Sequence[str]) -> Comparison:
    """Return a comparison with a description of the expectation on the left and several actual
    lines on the right.
    """
    rows = [ComparedRow(expected=_cell(expected), other=_cell(lines[0]))]
    for line in lines[1:]:
        rows.append(ComparedRow(expected=Cell(note=Absence.MISSING), other=_cell(line)))
    return Comparison(channel=channel, subject=subject, rows=tuple(rows), in_words=True)


def _source_of(value: Value, start: int) -> _Side:
    """Return a value's source on one line.

    Long lists and tuples get one line for each item, from item `start` on.
    """
    whole = value.source(MAX_VALUE * 2)
    if len(whole) <= _ONE_LINE or len(value.items) < 2 or whole[0] not in "[(":
        return _Side(lines=[whole], values=[value])
    shown = value.items[start : start + CONTEXT + WINDOW]
    left_out = len(value.items) - start - len(shown)
    opening, closing = "(", ")"
    if whole[0] == "[":
        opening, closing = "[", "]"
    lines = [opening]
    values: list[Value | None] = [None]
    if start:
        lines.append(f"    # … {start} items before")
        values.append(None)
    for item in shown:
        lines.append(f"    {item.source(2 * MAX_LINE)},")
        values.append(item)
    if left_out:
        lines.append(f"    # … {left_out} items after")
        values.append(None)
    lines.append(closing)
    values.append(None)
    return _Side(lines=lines, values=values)


def _compared(
    channel: Channel, expected: _Side, actual: _Side, pairs: Sequence[Opposite]
) -> Comparison:
    """Return the rows around the first difference."""
    left = _SideInRows(expected, [pair.expected for pair in pairs], channel)
    right = _SideInRows(actual, [pair.actual for pair in pairs], channel)
    before = 0
    if left.is_text:  # lines before the window are equal
        before = min(pairs[0].expected or 0, pairs[0].actual or 0)
    # The indexes of the rows in which a side has a line.
    there = [
        index
        for index in range(len(pairs))
        if left.row(index) is not None or right.row(index) is not None
    ]
    first = _first_that_differs(left, right, there)
    start = 0
    if len(there) > _MAX_ROWS:
        start = max(0, (first or 0) - _ROWS_BEFORE)
    stop = min(len(there), start + _MAX_ROWS)
    if first is not None and stop - first > _ROWS_AFTER + 2:
        stop = first + _ROWS_AFTER
    rows: list[ComparedRow] = []
    for place in range(start, stop):
        rows.append(_row(left, right, there[place], is_first=place == first))
    rest = there[stop:]
    more_expected = left.after + left.lines_in(rest)
    more_actual = right.after + right.lines_in(rest)
    return Comparison(
        channel=channel,
        subject="",
        rows=tuple(rows),
        left_out_before=start + before,
        left_out_after=max(len(rest), more_expected, more_actual),
        more_expected=more_expected,
        more_actual=more_actual,
    )


def _first_that_differs(left: _SideInRows, right: _SideInRows, rows: Sequence[int]) -> int | None:
    """Return the position, in `rows`, of the first row that differs; None if there is none."""
    for place, index in enumerate(rows):
        if left.differs(right, index):
            return place
    return None


def _row(left: _SideInRows, right: _SideInRows, index: int, *, is_first: bool) -> ComparedRow:
    text, other_text = left.row(index) or "", right.row(index) or ""
    if not left.differs(right, index):
        forgiven: Cell | None = None
        if text != other_text:
            forgiven = _cell(other_text, len(other_text))
        return ComparedRow(expected=_cell(text, len(text)), forgiven=forgiven)
    value, other_value = left.value(index), right.value(index)
    marks: list[Span] = []
    other_marks: list[Span] = []
    by_character = left.is_text or (_is_text(value) and _is_text(other_value))
    if by_character:
        if left.row(index) is None or right.row(index) is None:
            marks, other_marks = [_span(0, text)], [_span(0, other_text)]
    elif value and other_value and _is_python(value, text) and _is_python(other_value, other_text):
        placed = _placed(value, text)
        other_placed = _placed(other_value, other_text)
        marks, other_marks = _differing(placed, other_placed, _MAX_DEPTH)
    at, other_at = left.first_difference(right, index)
    mark = is_first and by_character
    return ComparedRow(
        expected=left.cell(index, right, at, marks, mark=mark),
        other=right.cell(index, left, other_at, other_marks, mark=mark),
    )


def _is_text(value: Value | None) -> bool:
    return value is not None and value.kind is ValueKind.STR


def _placed(value: Value, line: str) -> _Placed:
    """Return the value with its position in a line that ends with the value's source."""
    indent = len(line) - len(line.lstrip())
    return _Placed(value=value, source=value.source(), start=indent)


def _span(start: int, text: str) -> Span:
    return Span(start=start, stop=start + len(text))


def _cell(
    text: str,
    at: int = 0,
    *,
    mark: bool = False,
    marks: Sequence[Span] = (),
    signs: bool = False,
    end: LineEnd = LineEnd.NOTHING,
) -> Cell:
    """Return the cell for a line.

    A long line is shortened to the part around `at`, the first difference.
    """
    start = 0
    if len(text) > MAX_LINE:
        start = max(0, at - _BEFORE_MARK)
    stop = min(len(text), start + MAX_LINE)
    is_marked_at_end = mark and at == len(text)
    shows_end = stop == len(text) and (signs or is_marked_at_end)
    if not shows_end:
        end = LineEnd.NOTHING
    marked: int | None = None
    if mark:
        marked = at - start
    return Cell(
        text=text[start:stop],
        mark=marked,
        marks=tuple(_clipped(marks, start, stop)),
        cut_before=start > 0,
        cut_after=stop < len(text),
        signs=signs,
        end=end,
    )


def _clipped(spans: Sequence[Span], start: int, stop: int) -> Iterator[Span]:
    """Yield the parts of the spans between `start` and `stop`, counted from `start`."""
    for span in spans:
        first, last = max(span.start, start), min(span.stop, stop)
        if first < last:
            yield Span(start=first - start, stop=last - start)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A value, its source, and the position in the line where the source begins."""

    value: Value
    source: str
    start: int

    @property
    def span(self) -> Span:
        return _span(self.start, self.source)

    def items(self) -> list[_Placed]:
        items: list[_Placed] = []
        start = self.start + len("[")
        for value in self.value.items:
            items.append(_Placed(value=value, source=value.source(), start=start))
            start = items[-1].span.stop + len(", ")
        return items


def _differing(left: _Placed, right: _Placed, deepest: int) -> tuple[list[Span], list[Span]]:
    """Return, for both sides, the positions of the innermost items that differ."""
    kind = left.value.kind
    if kind is not right.value.kind or kind not in SEQUENCES or not deepest:
        return [left.span], [right.span]
    expected: list[Span] = []
    actual: list[Span] = []
    items, others = left.items(), right.items()
    if len(items) == len(others):
        for item, other in zip(items, others, strict=True):
            if item.source != other.source:
                inner, other_inner = _differing(item, other, deepest - 1)
                expected += inner
                actual += other_inner
        return expected, actual
    sources = [item.source for item in items]
    other_sources = [other.source for other in others]
    matcher = SequenceMatcher(None, sources, other_sources, autojunk=False)
    for tag, start, stop, other_start, other_stop in matcher.get_opcodes():
        if tag != "equal":
            expected += [item.span for item in items[start:stop]]
            actual += [item.span for item in others[other_start:other_stop]]
    return expected, actual


def _is_python(value: Value, text: str) -> bool:
    """Return whether `text` is valid Python for the whole value and not too long for a line."""
    if len(text) > _MAX_MARKED:
        return False
    for part in value.parts():
        if part.kind in _NOT_PYTHON or part.source(1).startswith("<"):
            return False
    return True
