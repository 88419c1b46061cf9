"""Recognizes boards, in values and in printed text, as rows of cells."""

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from harness.model.observation import Observation
from harness.model.stimulus import Stimulus, statements
from harness.model.values import SEQUENCES, Value, ValueKind
from harness.model.verdict import BoardArgument, Grid, GridCell, GridPair

Cells = list[list[str]]

MAX_ROWS = 64  # maximum rows, and cells in a row; larger values do not count as boards


def cells(value: Value) -> Cells | None:
    """Return the rows of cells of a board given as a list of strings or a list of lists; None for
    other values.
    """
    if value.kind not in SEQUENCES or not 0 < len(value.items) <= MAX_ROWS:
        return None
    rows: Cells = []
    for item in value.items:
        if item.kind is ValueKind.STR:
            rows.append(list(item.text[: MAX_ROWS + 1]))
        elif item.kind in SEQUENCES and not any(cell.is_container for cell in item.items):
            rows.append([cell.source() for cell in item.items[: MAX_ROWS + 1]])
        else:
            return None
    if any(len(row) > MAX_ROWS for row in rows):
        return None
    return rows


def are_transposed(rows: Cells | None, others: Cells | None) -> bool:
    """Return whether the boards differ and one becomes the other if its rows and columns are
    exchanged.
    """
    if not rows or not others or rows == others:
        return False
    widths = set(map(len, rows))
    if len(widths) != 1:
        return False
    columns = [list(column) for column in zip(*rows, strict=True)]
    return columns == others


_MAX_DRAWN = 26  # maximum rows, and cells in a row, of a board drawn on a page
_MAX_SOURCE = 6000  # characters of source
_FEW_SIGNS = 4
_PLAIN = frozenset(
    {ValueKind.NONE, ValueKind.BOOL, ValueKind.INT, ValueKind.FLOAT, ValueKind.COMPLEX,
     ValueKind.STR, ValueKind.BYTES, ValueKind.LIST, ValueKind.TUPLE, ValueKind.DICT, ValueKind.SET,
     ValueKind.ELLIPSIS}
)  # fmt: skip


def grid_of(value: Value) -> Grid | None:
    """Return a value as a board; None if it is not one.

    A board is a list of at least two rows of equal length, each with at least two plain cells. A
    list of tuples does not count, because it usually is a list of positions.
    """
    rows = cells(value)
    if rows is None or len(rows) < 2 or not _is_drawn(value):
        return None
    widths = set(map(len, rows))
    kinds = {item.kind for item in value.items}
    if len(widths) > 1 or len(kinds) > 1:
        return None
    width, kind = widths.pop(), kinds.pop()
    are_places = value.kind is ValueKind.LIST and kind is ValueKind.TUPLE
    if width < 2 or are_places:
        return None
    # Words of equal length are not a board: a board has few different characters.
    signs = set().union(*rows)
    if kind is ValueKind.STR and len(signs) > max(_FEW_SIGNS, width):
        return None
    texts = _has_texts(value)
    return _grid(_rows(value, texts=texts))


def board_arguments(stimulus: Stimulus, observation: Observation) -> tuple[BoardArgument, ...]:
    """Return the boards passed to a call, if the reader cannot see them in the call's text or in
    the generated case.
    """
    nodes: list[ast.expr] = []
    match statements(stimulus.action.expression):
        case [ast.Expr(value=ast.Call(args=arguments))]:
            nodes = arguments
    if len(nodes) != len(observation.arguments_before):  # the call has a starred argument
        return ()
    drawn = {binding.name for binding in stimulus.bindings}
    boards: list[BoardArgument] = []
    values = observation.arguments_before
    for position, (node, value) in enumerate(zip(nodes, values, strict=True)):
        if _is_written_out(node, drawn):
            continue
        board = grid_of(value)
        if board is not None:
            boards.append(BoardArgument(position=position, board=board))
    return tuple(boards)


_PARTS = (ast.List, ast.Tuple, ast.Constant, ast.Name, ast.expr_context)


def _is_written_out(node: ast.expr, drawn: Collection[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in drawn
    return all(isinstance(part, _PARTS) for part in ast.walk(node))


_ROWS = {
    "ndarray": "items",
    "DataFrame": "rows",
}  # name of the part that holds the rows of an array or table


def rows_of(value: Value) -> Value:
    """Return the rows of an array or a table; any other value unchanged."""
    part = _ROWS.get(value.text)
    if value.kind is not ValueKind.OBJECT or part is None:
        return value
    return value.by_name().get(part, value)


def grid_pair(expected: Value, actual: Value) -> GridPair | None:
    """Return an expected board with the actual value; None if the actual value has no rows or is
    equal.
    """
    if grid_of(expected) is None or not _is_drawn(actual):
        return None
    texts = _has_texts(expected) and _has_texts(actual)
    rows = _rows(expected, texts=texts)
    others = _rows(actual, texts=texts)
    differing = list(_differing_places(rows, others))
    if not differing:
        return None
    row, index = differing[0]
    wanted = _named(rows, row, index, texts=texts)
    has = _named(others, row, index, texts=texts)
    where = f"First difference at [{row}][{index}]: expected {wanted}, your program has {has}."
    left, right = _grid(rows, differing), _grid(others, differing)
    return GridPair(expected=left, actual=right, where=where)


_Place = tuple[int, int]  # row index and cell index


def _differing_places(
    rows: Sequence[Sequence[str]], others: Sequence[Sequence[str]]
) -> Iterator[_Place]:
    """Yield the places of all cells that differ or that only one side has."""
    for index, (row, other) in enumerate(zip_longest(rows, others, fillvalue=())):
        for column, (cell, other_cell) in enumerate(zip_longest(row, other)):
            if cell != other_cell:
                yield index, column


def _grid(rows: Sequence[Sequence[str]], differing: Collection[_Place] = ()) -> Grid:
    grid_rows: list[tuple[GridCell, ...]] = []
    for index, texts in enumerate(rows):
        grid_row: list[GridCell] = []
        for column, text in enumerate(texts):
            differs = (index, column) in differing
            grid_row.append(GridCell(text=text, differs=differs))
        grid_rows.append(tuple(grid_row))
    return Grid(rows=tuple(grid_rows))


def _is_drawn(value: Value) -> bool:
    """Return whether the value consists of rows of plain values, few enough for a page."""
    if value.kind not in SEQUENCES or not 0 < len(value.items) <= _MAX_DRAWN:
        return False
    if len(value.source(_MAX_SOURCE)) > _MAX_SOURCE:
        return False
    for row in value.items:
        is_row = row.kind is ValueKind.STR or row.kind in SEQUENCES
        if not is_row or len(row.items or row.text) > _MAX_DRAWN:
            return False
    return all(part.kind in _PLAIN for part in value.parts())


def _has_texts(value: Value) -> bool:
    """Return whether all cells are strings.

    These are shown without quotes, other cells as Python source.
    """
    for row in value.items:
        if row.kind is ValueKind.STR:
            continue
        if any(cell.kind is not ValueKind.STR for cell in row.items):
            return False
    return True


def _rows(value: Value, *, texts: bool) -> list[list[str]]:
    if texts:
        return [_signs_of(row) for row in value.items]
    return [_sources_of(row) for row in value.items]


def _signs_of(row: Value) -> list[str]:
    if row.items:
        return [cell.text for cell in row.items]
    return list(row.text)


def _sources_of(row: Value) -> list[str]:
    if row.items:
        return [cell.source() for cell in row.items]
    return list(map(repr, row.text))


def _named(rows: Sequence[Sequence[str]], row: int, index: int, *, texts: bool) -> str:
    if row >= len(rows):
        return "no such row"
    cells_of_row = rows[row]
    if index >= len(cells_of_row):
        return "nothing"
    cell = cells_of_row[index]
    if texts:
        return f"'{cell}'"
    return cell


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedGrid:
    """Consecutive lines of a text that form a grid: the index of the first line, and the cells."""

    start: int
    rows: Cells


def grid_at(lines: Sequence[str], index: int) -> PrintedGrid | None:
    """Return the grid that has line `index` as one of its rows; None if there is none."""
    if not 0 <= index < len(lines):
        return None
    shape = _shape(lines[index])
    if shape is None:
        return None
    start = stop = index
    while start and _shape(lines[start - 1]) == shape:
        start -= 1
    while stop < len(lines) and _shape(lines[stop]) == shape:
        stop += 1
    if not 1 < stop - start <= MAX_ROWS:
        return None
    _, separator = shape
    rows = [_row(line, separator) for line in lines[start:stop]]
    return PrintedGrid(start=start, rows=rows)


def _shape(line: str) -> tuple[int, str] | None:
    """Return (number of cells, separator) of a printed row, with separator "" for none; None if
    the line is not a row of cells.
    """
    length = len(line)
    if not 1 < length <= 4 * MAX_ROWS:
        return None
    first = line[0]
    if first == line[-1] and not first.isalnum() and first != " ":
        inner = line[1:-1].split(first)
        has_equal_cells = len(inner) > 1 and len(set(map(len, inner))) == 1
        if has_equal_cells or _separates_every_sign(line):
            return length, first
    if len(set(line)) <= _FEW_SIGNS and " " not in line.strip():
        return length, ""
    return None


def _separates_every_sign(line: str) -> bool:
    """Return whether every second character of a line is the same, including the first and the
    last.
    """
    return len(line) % 2 == 1 and len(set(line[::2])) == 1


def _row(line: str, separator: str) -> list[str]:
    if not separator:
        return list(line)
    if _separates_every_sign(line):
        return list(line[1::2])
    return list(line[1:-1].split(separator))


def is_board(lines: Sequence[str]) -> bool:
    """Return whether most of these lines are rows of one grid."""
    if len(lines) < 2 or len(lines) > 3 * MAX_ROWS:
        return False
    lengths = [len(line) for line in lines if len(line) > 2]
    common = max(set(lengths), key=lengths.count, default=0)
    rows = [line for line in lines if len(line) == common]
    if len(rows) < 2 or 2 * len(rows) < len(lines):
        return False
    # Unlike sentences of equal length, a grid has few different characters and few letters.
    signs = set("".join(rows)) - set(" 0123456789")
    letters = [sign for sign in signs if sign.isalpha()]
    return len(signs) <= 6 and len(letters) <= 3


def holds_board(lines: Sequence[str]) -> bool:
    """Return whether some of these lines form a board. Unlike a table, its rows contain symbols."""
    for start in range(min(len(lines) - 2, 100)):
        three = lines[start : start + 3]
        if is_board(three) and _has_symbol("".join(three)):
            return True
    return False


def _has_symbol(text: str) -> bool:
    """Return whether a text contains a character that is not a letter, digit or white space."""
    return any(not sign.isalnum() and not sign.isspace() for sign in text)
