"""Boards, as values and as printed: rows of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.model.values import Value, ValueKind

Cells = list[list[str]]

LARGEST = 64  # rows, and cells of a row: beyond this nothing is taken for a board
_OUTER = frozenset({ValueKind.LIST, ValueKind.TUPLE})


def cells(value: Value) -> Cells | None:
    """A list of texts, or of lists of plain values, as rows of cells; None for another value."""
    if value.kind not in _OUTER or not 0 < len(value.items) <= LARGEST:
        return None
    rows: Cells = []
    for item in value.items:
        if item.kind is ValueKind.STR:
            row = list(item.text[: LARGEST + 1])
        elif item.kind in _OUTER and not any(cell.is_container for cell in item.items):
            row = [cell.source() for cell in item.items[: LARGEST + 1]]
        else:
            return None
        if len(row) > LARGEST:
            return None
        rows.append(row)
    return rows


def transposed(rows: Sequence[Sequence[str]]) -> Cells | None:
    """Rows and columns exchanged; None unless all rows have one length."""
    if len({len(row) for row in rows}) != 1:
        return None
    return [list(column) for column in zip(*rows, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedGrid:
    """Lines of a text that make up one grid: the index of the first, and their cells."""

    start: int
    rows: Cells


def grid_at(lines: Sequence[str], index: int) -> PrintedGrid | None:
    """The grid that line `index` is a row of; None when it is in none."""
    if not 0 <= index < len(lines):
        return None
    shape = _shape(lines[index])
    if shape is None:
        return None
    start = index
    while start and _shape(lines[start - 1]) == shape:
        start -= 1
    stop = index + 1
    while stop < len(lines) and _shape(lines[stop]) == shape:
        stop += 1
    if not 1 < stop - start <= LARGEST:
        return None
    return PrintedGrid(start=start, rows=[_row(line, shape[1]) for line in lines[start:stop]])


def _shape(line: str) -> tuple[int, str] | None:
    """A row's length and separator ("" for none); None for a line that is no row of cells."""
    if not 1 < len(line) <= 4 * LARGEST:
        return None
    if line[0] == line[-1] and not line[0].isalnum() and line[0] != " ":
        between = line[::2]
        if len(line) % 2 and len(set(between)) == 1:
            return len(line), line[0]
        inner = line[1:-1].split(line[0])
        if len(inner) > 1 and len({len(part) for part in inner}) == 1:
            return len(line), line[0]
    return (len(line), "") if len(set(line)) <= 4 and " " not in line.strip() else None


def _row(line: str, separator: str) -> list[str]:
    if not separator:
        return list(line)
    if len(set(line[::2])) == 1 and len(line) % 2:
        return list(line[1::2])
    return list(line[1:-1].split(separator))


def is_board(lines: Sequence[str]) -> bool:
    """Whether most of some lines that are shown together are rows of one grid."""
    if len(lines) < 2 or len(lines) > 3 * LARGEST:
        return False
    lengths = [len(line) for line in lines if len(line) > 2]
    common = max(set(lengths), key=lengths.count, default=0)
    rows = [line for line in lines if len(line) == common]
    if len(rows) < 2 or 2 * len(rows) < len(lines):
        return False
    # A grid is drawn with few signs and fewer letters; sentences of one length are not.
    signs = set("".join(rows)) - set(" 0123456789")
    return len(signs) <= 6 and sum(sign.isalpha() for sign in signs) <= 3
