"""What one side of a comparison shows, line by line: agreeing lines far from a difference are left
out, and a line printed over and over is shown three times."""

from __future__ import annotations

from dataclasses import dataclass

from harness.reporting.view.differences.cells import Cell
from harness.reporting.view.differences.comparison import Comparison
from harness.reporting.view.words import counted

_MANY = 12  # rows: more are shown only near those that differ, with line numbers
_NEAR = 3
_FEWEST_LEFT_OUT = 3
_AGAIN = 12  # equal lines one after the other: more than a board has
SHOWN_OF_A_FLOOD = 3
_NO_CELL = Cell()


@dataclass(frozen=True, slots=True, kw_only=True)
class SideLine:
    """A line of one side, or, where `note` is not empty, what is said in place of lines. `number`
    is the line's own in the whole text; None where it is not shown."""

    cell: Cell = _NO_CELL
    number: int | None = None
    differs: bool = False
    note: str = ""


def side_lines(part: Comparison, name: str) -> list[SideLine]:
    """One side, "expected" or "actual", from the top. That lines are missing is said of the actual
    side of a text alone: what is expected is shown as it should be."""
    is_expected = name == "expected"
    if is_expected and part.expects_nothing:
        return [SideLine(note=part.rows[0].expected.note)]
    near = _near(part)
    numbered = part.first_line is not None and (not all(near) or part.left_out_before > 0)
    number = (part.first_line or 1) + part.left_out_before
    found: list[SideLine] = []
    left_out, missing = part.left_out_before, 0
    for row, is_near in zip(part.rows, near, strict=True):
        cell = row.expected if is_expected else row.actual
        if cell.note and (part.of_values or is_expected):
            continue
        if cell.note:
            missing += 1
            continue
        found += _missing(missing) + _agree(left_out if is_near else 0)
        missing = 0
        left_out = 0 if is_near else left_out + 1
        if is_near:
            shown = number if numbered else None
            found.append(SideLine(cell=cell, number=shown, differs=not row.same))
        number += 1
    found += _missing(missing) + _agree(left_out)
    more = part.more_expected if is_expected else part.more_actual
    after = [SideLine(note=f"… {counted(more, 'more line')}")] if more else []
    return [*_without_repeats(found), *after]


def _missing(number: int) -> list[SideLine]:
    if not number:
        return []
    text = "(missing)" if number == 1 else f"({number} lines missing)"
    return [SideLine(note=text, differs=True)]


def _agree(number: int) -> list[SideLine]:
    if not number:
        return []
    return [SideLine(note=f"… {counted(number, 'line')} {'agrees' if number == 1 else 'agree'}")]


def _near(part: Comparison) -> list[bool]:
    """For each row whether it is shown."""
    rows = part.rows
    if part.of_values or len(rows) + part.left_out_before <= _MANY or not part.differs:
        return [True] * len(rows)
    differing = [i for i, row in enumerate(rows) if not row.same]
    near = [False] * len(rows)
    for i in differing:
        for j in range(max(0, i - _NEAR), min(len(rows), i + _NEAR + 1)):
            near[j] = True
    start = 0
    while start < len(rows):
        stop = start
        while stop < len(rows) and near[stop] == near[start]:
            stop += 1
        if not near[start] and stop - start < _FEWEST_LEFT_OUT:
            near[start:stop] = [True] * (stop - start)
        start = stop
    return near


def _without_repeats(lines: list[SideLine]) -> list[SideLine]:
    found: list[SideLine] = []
    start = 0
    while start < len(lines):
        stop = start + 1
        while stop < len(lines) and not lines[stop].note and _said(lines, stop, start):
            stop += 1
        if stop - start > _AGAIN:
            found += lines[start : start + SHOWN_OF_A_FLOOD]
            times = counted(stop - start - SHOWN_OF_A_FLOOD, "more time")
            found.append(SideLine(note=f"… the same line {times}"))
        else:
            found += lines[start:stop]
        start = stop
    return found


def _said(lines: list[SideLine], index: int, start: int) -> bool:
    return lines[index].cell.text == lines[start].cell.text
