"""Prepares the differences of a verdict for a page or a terminal: the screen so far, then each
side line by line.

Equal lines far from a difference and long repetitions are left out.
"""

from dataclasses import dataclass
from itertools import groupby

from harness.common.escaping import visible
from harness.common.words import counted
from harness.model.observation import Turn
from harness.model.verdict import (
    Cell,
    Channel,
    ComparedRow,
    Comparison,
    Conversation,
    LineEnd,
    Span,
    Verdict,
)

_AT_A_GLANCE = 30  # maximum length of two texts placed below each other
_MANY = 12  # with more rows, only those near a difference are shown, with line numbers
_NEAR = 3
_MIN_LEFT_OUT = 3
_AGAIN = 12  # repeated lines that are shown; more than a board has
SHOWN_OF_A_FLOOD = 3
_NO_CELL = Cell()
_MAX_LINES = 40
_MAX_CHARACTERS = 6000
_Turns = tuple[Turn, ...]


def comparisons(verdict: Verdict) -> tuple[Comparison, ...]:
    """Return the differences of a verdict.

    Printed text is left out if the conversation shows it already.
    """
    if not _shows_a_difference(verdict.conversation):
        return verdict.differences
    return tuple(
        comparison for comparison in verdict.differences if comparison.channel is not Channel.PRINTS
    )


def _shows_a_difference(talk: Conversation | None) -> bool:
    if talk is None:
        return False
    if talk.compared is not None:
        return talk.compared.differs
    return talk.parts


def first_difference(part: Comparison) -> str:
    """Return a phrase for the first difference; "" if the two sides are not aligned."""
    if part.grids is not None:
        return part.grids.where
    at_row = _first_differing(part)
    if at_row is None or part.in_words or part.is_silent or part.expects_nothing:
        return ""
    row = part.rows[at_row]
    longest = max(len(row.expected.text), len(row.actual.text))
    if part.of_values and not (part.stacked and row.actual.mark is not None):
        return ""  # differing items are highlighted already
    if part.stacked and longest <= _AT_A_GLANCE:
        return ""
    # Line numbers are equal on both sides up to the first difference.
    line = f"line {part.left_out_before + at_row + 1}"
    if part.stacked:
        line = "the marked line"
    if row.actual.note:
        return f"First difference: {line} is missing."
    if row.expected.note:
        return f"First difference: {line} is one too many."
    at = row.actual.mark
    if at is None:
        at = row.expected.mark
    if at is None:
        return ""
    is_file = part.channel is Channel.WRITES
    if at >= longest:
        where = "the end" if part.stacked else line
        return f"First difference: {where}: {_line_ends(row, is_file=is_file)}."
    where = f"character {at + 1}"
    if row.actual.cut_before:
        where = "the marked character"
    if not part.stacked:
        where = f"{line}, {where}"
    wanted = _character(row.expected, at)
    has = _character(row.actual, at)
    yours = "your file" if is_file else "your program"
    return f"First difference: {where}: expected {wanted}, {yours} has {has}."


def _first_differing(part: Comparison) -> int | None:
    """Return the index of the first row that differs; None if all rows are equal."""
    for place, row in enumerate(part.rows):
        if not row.same:
            return place
    return None


def _line_ends(row: ComparedRow, *, is_file: bool) -> str:
    """Return a phrase for two lines that differ only in their line ends."""
    yours = "your file has" if is_file else "your program prints"
    if row.actual.end is LineEnd.LACKING:
        return f"{yours} no line end there"
    return f"{yours} an extra line end"


def _character(cell: Cell, at: int) -> str:
    if at >= len(cell.text):
        return "the end of the line" if cell.end else "the end"
    character = cell.text[at]
    names = {" ": "a space", "\t": "a tab"}
    return names.get(character, f"“{visible(character)}”")


def marked_spans(cell: Cell) -> tuple[Span, ...]:
    """Return the highlighted parts of a line: the items that differ, or the first character that
    differs.
    """
    if cell.marks or cell.mark is None or cell.mark >= len(cell.text):
        return cell.marks
    return (Span(start=cell.mark, stop=cell.mark + 1),)


@dataclass(frozen=True, slots=True, kw_only=True)
class SideLine:
    """A line of one side."""

    cell: Cell = _NO_CELL
    number: int | None = None  # in the whole text; None for a note
    differs: bool = False
    note: str = ""  # a note that replaces omitted lines


def side_lines(part: Comparison, name: str) -> list[SideLine]:
    """Return the lines of one side, "expected" or "actual", from the top.

    Only the actual side mentions missing lines.
    """
    is_expected = name == "expected"
    if is_expected and part.expects_nothing:
        return [SideLine(note=part.rows[0].expected.note)]
    near = _near(part)
    is_numbered = not part.of_values and (not all(near) or part.left_out_before > 0)
    lines: list[SideLine] = []
    number = part.left_out_before  # line number in the whole text
    left_out = part.left_out_before
    missing = 0
    for row, is_near in zip(part.rows, near, strict=True):
        cell = row.expected if is_expected else row.actual
        if cell.note:
            if not part.of_values and not is_expected:
                missing += 1
            continue
        lines += _missing(missing)
        missing = 0
        number += 1
        if not is_near:
            left_out += 1
            continue
        lines += _agree(left_out)
        left_out = 0
        shown = number if is_numbered else None
        lines.append(SideLine(cell=cell, number=shown, differs=not row.same))
    lines += _missing(missing)
    lines += _agree(left_out)
    lines = _without_repeats(lines)
    more = part.more_expected if is_expected else part.more_actual
    if more:
        lines.append(SideLine(note=f"… {counted(more, 'more line')}"))
    return lines


def _missing(number: int) -> list[SideLine]:
    if not number:
        return []
    text = f"({number} lines missing)"
    if number == 1:
        text = "(missing)"
    return [SideLine(note=text, differs=True)]


def _agree(number: int) -> list[SideLine]:
    if not number:
        return []
    verb = "agrees" if number == 1 else "agree"
    return [SideLine(note=f"… {counted(number, 'line')} {verb}")]


def _near(part: Comparison) -> list[bool]:
    """Return for each row whether it is displayed."""
    rows = part.rows
    if part.of_values or len(rows) + part.left_out_before <= _MANY or not part.differs:
        return [True] * len(rows)
    near: set[int] = set()
    for place, row in enumerate(rows):
        if not row.same:
            near.update(range(place - _NEAR, place + _NEAR + 1))
    shown: list[bool] = []
    for is_near, group in groupby(range(len(rows)), key=near.__contains__):
        count = len(list(group))
        shown += [is_near or count < _MIN_LEFT_OUT] * count
    return shown


def _without_repeats(lines: list[SideLine]) -> list[SideLine]:
    shown: list[SideLine] = []
    for _, group in groupby(lines, key=lambda line: (line.note, line.cell.text)):
        alike = list(group)
        if len(alike) > _AGAIN:
            times = counted(len(alike) - SHOWN_OF_A_FLOOD, "more time")
            alike[SHOWN_OF_A_FLOOD:] = [SideLine(note=f"… the same line {times}")]
        shown += alike
    return shown


def folded(turns: _Turns, most: int = _MAX_LINES) -> tuple[_Turns, _Turns]:
    """Return the earlier turns and the last turns separately; the last turns have about `most`
    lines.
    """
    lines = 0
    for index in range(len(turns) - 1, -1, -1):
        lines += turns[index].printed.count("\n") + 1
        if lines > most:
            cut = min(index + 1, len(turns) - 1)
            return turns[:cut], turns[cut:]
    return (), turns


def shortened(printed: str) -> str:
    """Return a turn's output. A very long one is reduced to its beginning and end."""
    if len(printed) <= _MAX_CHARACTERS:
        return printed
    half = _MAX_CHARACTERS // 2
    left_out = len(printed) - 2 * half
    return f"{printed[:half]}\n[… {left_out:,} characters left out …]\n{printed[-half:]}"
