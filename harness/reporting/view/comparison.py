"""Expected beside actual: aligned rows, white space visible where it counts, one mark."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from enum import StrEnum

from harness.model.verdict import Channel, Difference, DiffLine
from harness.reporting.view.words import ending

_MOST_ROWS = 60
_ROWS_BEFORE = 8
_WIDEST = 400
_BEFORE_MARK = 60
_MOST_LINES_ALIGNED = 200  # aligning costs the product of both sides

TEXT_CHANNELS = frozenset({Channel.PRINTS})


class Side(StrEnum):
    """One of the two columns."""

    EXPECTED = "expected"
    ACTUAL = "actual"


# Expected line, actual line, and the side that lacks its line end.
Pair = tuple[str | None, str | None, Side | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One side of a row. `mark` is the index of the first differing character, at the text's
    end when the text stops too soon; None: no mark. `shortened` says that text is left out."""

    text: str
    mark: int | None = None
    cut_before: bool = False
    cut_after: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """Two aligned lines; None where that side has no such line. `lacks_end` names the side whose
    text stops here without a line end that the other side has; `nothing` the side that printed
    nothing at all."""

    expected: Cell | None
    actual: Cell | None
    same: bool
    lacks_end: Side | None = None
    nothing: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a reader sees of one difference. `is_text` is for printed lines, which have line ends;
    otherwise the rows are Python values. `in_words` means that the one row is not aligned: the
    expectation is described. `left_out` rows before and after are not shown."""

    channel: Channel
    subject: str
    rows: tuple[ComparedRow, ...]
    is_text: bool
    in_words: bool = False
    left_out_before: int = 0
    left_out_after: int = 0

    @property
    def stacked(self) -> bool:
        """One line on each side reads best one above the other."""
        return len(self.rows) == 1 and not self.left_out_before and not self.left_out_after

    @property
    def shows_signs(self) -> bool:
        """Whether signs for blanks and line ends stand in it, so that a legend is due."""
        return self.is_text and any(not row.same for row in self.rows)


def comparison(difference: Difference) -> Comparison:
    """A judged difference as rows."""
    is_text = difference.channel in TEXT_CHANNELS
    if difference.lines:
        return _rows(difference.lines, difference.channel, difference.subject, is_text)
    if difference.at_column is not None:
        lines = (DiffLine(expected=difference.expected, actual=difference.actual),)
        return _rows(lines, difference.channel, difference.subject, is_text)
    return _side_by_side(difference)


def _side_by_side(difference: Difference) -> Comparison:
    """Without a place of difference, as where the expectation is only described in words."""
    expected, actual = difference.expected, difference.actual
    if difference.channel is Channel.ENDING:
        expected, actual = ending(expected), ending(actual)
    row = ComparedRow(
        expected=_cell(expected, 0, False),
        actual=_cell(actual, 0, False),
        same=True,
    )
    return Comparison(
        channel=difference.channel,
        subject=difference.subject,
        rows=(row,),
        is_text=False,
        in_words=True,
    )


def of_texts(expected: str, actual: str, subject: str) -> Comparison:
    """Two printed texts as rows."""
    return _rows(aligned(expected, actual), Channel.PRINTS, subject, True)


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
    size = max(len(left), len(right))
    return [
        DiffLine(
            expected=left[i] if i < len(left) else None,
            actual=right[i] if i < len(right) else None,
        )
        for i in range(size)
    ]


def _rows(lines: tuple[DiffLine, ...], channel: Channel, subject: str, is_text: bool) -> Comparison:
    left = [line.expected for line in lines]
    right = [line.actual for line in lines]
    open_left, open_right = _close(left, is_text), _close(right, is_text)
    pairs: list[Pair] = []
    for index, (expected, actual) in enumerate(zip(left, right, strict=True)):
        if expected is not None or actual is not None:
            lacks = _lacking(index, expected, actual, open_left, open_right)
            pairs.append((expected, actual, lacks))
    first = next((i for i, (one, other, lacks) in enumerate(pairs) if one != other or lacks), None)
    start = max(0, (first or 0) - _ROWS_BEFORE) if len(pairs) > _MOST_ROWS else 0
    stop = min(len(pairs), start + _MOST_ROWS)
    nothing = _silent_side(left, right) if is_text else None
    rows = [
        replace(_row(pairs[index], marked=index == first), nothing=nothing)
        for index in range(start, stop)
    ]
    return Comparison(
        channel=channel,
        subject=subject,
        rows=tuple(rows),
        is_text=is_text,
        left_out_before=start,
        left_out_after=len(pairs) - stop,
    )


def _silent_side(left: list[str | None], right: list[str | None]) -> Side | None:
    if all(line is None for line in left):
        return Side.EXPECTED
    return Side.ACTUAL if all(line is None for line in right) else None


def _close(side: list[str | None], is_text: bool) -> int | None:
    """Fold the empty line behind a last line end into that line end; return the index of a last
    line that has none."""
    last = next((i for i in range(len(side) - 1, -1, -1) if side[i] is not None), None)
    if last is None or not is_text:
        return None
    if side[last] == "":
        side[last] = None
        return None
    return last


def _lacking(
    index: int,
    expected: str | None,
    actual: str | None,
    open_left: int | None,
    open_right: int | None,
) -> Side | None:
    if expected is None or actual is None or (index == open_left) is (index == open_right):
        return None
    return Side.EXPECTED if index == open_left else Side.ACTUAL


def _row(pair: Pair, *, marked: bool) -> ComparedRow:
    expected, actual, lacks = pair
    at = first_difference(expected or "", actual or "")
    return ComparedRow(
        expected=None if expected is None else _cell(expected, at, marked),
        actual=None if actual is None else _cell(actual, at, marked),
        same=expected == actual and lacks is None,
        lacks_end=lacks,
    )


def first_difference(expected: str, actual: str) -> int:
    """The index of the first character that differs; the shorter length when one starts so."""
    for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
        if left != right:
            return index
    return min(len(expected), len(actual))


def _cell(text: str, at: int, marked: bool) -> Cell:
    start = max(0, at - _BEFORE_MARK) if len(text) > _WIDEST else 0
    stop = min(len(text), start + _WIDEST)
    return Cell(
        text=text[start:stop],
        mark=at - start if marked else None,
        cut_before=start > 0,
        cut_after=stop < len(text),
    )
