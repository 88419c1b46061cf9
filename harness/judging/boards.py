"""Boards, as values and as printed: rows of cells."""

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from harness.model.observation import Observation
from harness.model.stimulus import Stimulus, statements
from harness.model.values import SEQUENCES, Value, ValueKind
from harness.model.verdict import BoardArgument, Grid, GridCell, GridPair

Cells = list[list[str]]

LARGEST = 64  # rows, and cells of a row: beyond this nothing is taken for a board


def cells(value: Value) -> Cells | None:
    """Return a list of texts, or of lists of plain values, as rows of cells; None for another
    value.
    """
    if value.kind not in SEQUENCES or not 0 < len(value.items) <= LARGEST:
        return None
    rows: Cells = []
    for item in value.items:
        if item.kind is ValueKind.STR:
            rows.append(list(item.text[: LARGEST + 1]))
        elif item.kind in SEQUENCES and not any(cell.is_container for cell in item.items):
            rows.append([cell.source() for cell in item.items[: LARGEST + 1]])
        else:
            return None
    return None if any(len(row) > LARGEST for row in rows) else rows


def are_transposed(rows: Cells | None, others: Cells | None) -> bool:
    """Return whether they differ, and exchanging rows and columns of one gives the other."""
    if not rows or not others or rows == others or len({len(row) for row in rows}) != 1:
        return False
    return [list(column) for column in zip(*rows, strict=True)] == others


_DRAWN = 26  # rows, and cells of a row: a larger board does not help on a page
_LONGEST_DRAWN = 6000  # characters of source
_FEW_SIGNS = 4
_PLAIN = frozenset(
    {ValueKind.NONE, ValueKind.BOOL, ValueKind.INT, ValueKind.FLOAT, ValueKind.COMPLEX,
     ValueKind.STR, ValueKind.BYTES, ValueKind.LIST, ValueKind.TUPLE, ValueKind.DICT, ValueKind.SET,
     ValueKind.ELLIPSIS}
)  # fmt: skip


def grid_of(value: Value) -> Grid | None:
    """Return a value that is a board: at least two rows of one length, with at least two cells
    each, none of them a container. A list of tuples does not count: those are places.
    """
    rows = cells(value)
    if rows is None or len(rows) < 2 or not _is_drawn(value):
        return None
    widths, kinds = {len(row) for row in rows}, {item.kind for item in value.items}
    width, kind = widths.pop(), kinds.pop()
    if widths or kinds or width < 2 or (value.kind, kind) == (ValueKind.LIST, ValueKind.TUPLE):
        return None
    # Words of one length are not a board: those have few signs.
    signs = {sign for row in rows for sign in row}
    if kind is ValueKind.STR and len(signs) > max(_FEW_SIGNS, width):
        return None
    return _grid(_rows(value, texts=_has_texts(value)))


def board_arguments(stimulus: Stimulus, observation: Observation) -> tuple[BoardArgument, ...]:
    """Return the boards that a call was given and that neither its text nor a generated case
    writes out.
    """
    nodes: list[ast.expr] = []
    match statements(stimulus.action.expression):
        case [ast.Expr(value=ast.Call(args=arguments))]:
            nodes = arguments
    if len(nodes) != len(observation.arguments_before):  # one of them is starred
        return ()
    drawn = {binding.name for binding in stimulus.bindings}
    return tuple(
        BoardArgument(position=at, board=board)
        for at, (node, value) in enumerate(zip(nodes, observation.arguments_before, strict=True))
        if not _is_written_out(node, drawn) and (board := grid_of(value)) is not None
    )


_PARTS = (ast.List, ast.Tuple, ast.Constant, ast.Name, ast.expr_context)


def _is_written_out(node: ast.expr, drawn: Collection[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in drawn
    return all(isinstance(part, _PARTS) for part in ast.walk(node))


def grid_pair(expected: Value, actual: Value) -> GridPair | None:
    """Return a board and the value in its place; None if that has no rows, or if they are equal."""
    if grid_of(expected) is None or not _is_drawn(actual):
        return None
    texts = _has_texts(expected) and _has_texts(actual)
    sides = [_rows(value, texts=texts) for value in (expected, actual)]
    differing = [
        (row, index)
        for row, pair in enumerate(zip_longest(*sides, fillvalue=()))
        for index, (one, other) in enumerate(zip_longest(*pair))
        if one != other
    ]
    if not differing:
        return None
    row, index = differing[0]
    wanted, has = (_named(rows, row, index, texts=texts) for rows in sides)
    where = f"First difference at [{row}][{index}]: expected {wanted}, your program has {has}."
    left, right = (_grid(rows, differing) for rows in sides)
    return GridPair(expected=left, actual=right, where=where)


def _grid(rows: Sequence[Sequence[str]], differing: Collection[tuple[int, int]] = ()) -> Grid:
    return Grid(
        rows=tuple(
            tuple(
                GridCell(text=text, differs=(row, index) in differing)
                for index, text in enumerate(texts)
            )
            for row, texts in enumerate(rows)
        )
    )


def _is_drawn(value: Value) -> bool:
    """Return whether it has rows of plain values that a page has space for."""
    if value.kind not in SEQUENCES or not 0 < len(value.items) <= _DRAWN:
        return False
    return (
        len(value.source(_LONGEST_DRAWN)) <= _LONGEST_DRAWN
        and all(row.kind is ValueKind.STR or row.kind in SEQUENCES for row in value.items)
        and all(len(row.items or row.text) <= _DRAWN for row in value.items)
        and all(part.kind in _PLAIN for part in value.parts())
    )


def _has_texts(value: Value) -> bool:
    """Return whether all cells are texts, which are then shown as they are, and otherwise as
    Python source.
    """
    rows = (row.items for row in value.items if row.kind is not ValueKind.STR)
    return all(cell.kind is ValueKind.STR for row in rows for cell in row)


def _rows(value: Value, *, texts: bool) -> list[list[str]]:
    return [
        [cell.text if texts else cell.source() for cell in row.items]
        or [sign if texts else repr(sign) for sign in row.text]
        for row in value.items
    ]


def _named(rows: Sequence[Sequence[str]], row: int, index: int, *, texts: bool) -> str:
    if row >= len(rows):
        return "no such row"
    if index >= len(rows[row]):
        return "nothing"
    return f"'{rows[row][index]}'" if texts else rows[row][index]


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedGrid:
    """Lines of a text that make up one grid: the index of the first, and their cells."""

    start: int
    rows: Cells


def grid_at(lines: Sequence[str], index: int) -> PrintedGrid | None:
    """Return the grid that contains line `index` as a row; None if it is in none."""
    shape = _shape(lines[index]) if 0 <= index < len(lines) else None
    if shape is None:
        return None
    start = stop = index
    while start and _shape(lines[start - 1]) == shape:
        start -= 1
    while stop < len(lines) and _shape(lines[stop]) == shape:
        stop += 1
    if not 1 < stop - start <= LARGEST:
        return None
    return PrintedGrid(start=start, rows=[_row(line, shape[1]) for line in lines[start:stop]])


def _shape(line: str) -> tuple[int, str] | None:
    """Return a row's length and separator ("" for none); None for a line that is not a row of
    cells.
    """
    if not 1 < len(line) <= 4 * LARGEST:
        return None
    if line[0] == line[-1] and not line[0].isalnum() and line[0] != " ":
        is_every_other = len(line) % 2 and len(set(line[::2])) == 1
        inner = line[1:-1].split(line[0])
        if is_every_other or (len(inner) > 1 and len(set(map(len, inner))) == 1):
            return len(line), line[0]
    return (len(line), "") if len(set(line)) <= 4 and " " not in line.strip() else None


def _row(line: str, separator: str) -> list[str]:
    if not separator:
        return list(line)
    if len(set(line[::2])) == 1 and len(line) % 2:
        return list(line[1::2])
    return list(line[1:-1].split(separator))


def is_board(lines: Sequence[str]) -> bool:
    """Return whether most of some lines that are shown together are rows of one grid."""
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


def holds_board(lines: Sequence[str]) -> bool:
    """Return whether a board is among some lines: rows of more than letters and digits, unlike a
    table.
    """
    windows = (lines[at : at + 3] for at in range(min(len(lines) - 2, 100)))
    return any(
        is_board(three) and any(not (sign.isalnum() or sign.isspace()) for sign in "".join(three))
        for three in windows
    )
