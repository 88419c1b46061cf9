"""Values that are boards, drawn as boards: lists of equally long texts, or of lists."""

from __future__ import annotations

import ast
import copy
import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass

from harness.model.stimulus import Call, Stimulus
from harness.model.verdict import Channel, Difference

LARGEST = 26  # rows, and cells of a row; a larger one is no help on a page
_LONGEST = 6000  # characters of source
VALUES = frozenset({Channel.RETURNS, Channel.LEAVES})

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Rows of cells, each cell as text. `marks` are the row and the index in it of each cell that
    differs from the other side's."""

    rows: Rows
    marks: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPair:
    """An expected board and an actual one, and where they differ first, in words."""

    expected: Grid
    actual: Grid
    where: str


def grid_pair(difference: Difference) -> GridPair | None:
    """The two boards of a difference of values; None where either side is none."""
    if difference.channel not in VALUES or difference.at_column is None:
        return None
    left, right = (_value(_parsed(side), {}) for side in (difference.expected, difference.actual))
    if not _is_board(left) or not _is_list(right):
        return None
    texts = _has_texts(left, right)
    expected, actual = _cells(left, texts=texts), _cells(right, texts=texts)
    differing = _differing(expected, actual)
    if not differing:
        return None
    mark, marks = differing[0], frozenset(differing)
    where = f"First difference at [{mark[0]}][{mark[1]}]"
    wanted, has = (_cell(rows, mark, texts=texts) for rows in (expected, actual))
    return GridPair(
        expected=Grid(rows=expected, marks=marks),
        actual=Grid(rows=actual, marks=marks),
        where=f"{where}: expected {wanted}, your program has {has}.",
    )


def boards_in(
    stimulus: Stimulus, constants: Mapping[str, str]
) -> tuple[str, tuple[tuple[str, Grid], ...]]:
    """A call with its boards taken out, and these with a name for each; no text and no boards
    where nothing is called with one. `constants` are literals by name."""
    action = stimulus.action
    if not isinstance(action, Call):
        return "", ()
    literals = dict(constants) | {each.name: each.literal for each in stimulus.constants}
    known = {name: node for name, text in literals.items() if (node := _parsed(text)) is not None}
    found: list[tuple[str, Grid]] = []
    others: list[str] = []
    for binding in stimulus.bindings:
        value = _value(_parsed(binding.literal), known)
        if _is_board(value):
            found.append((binding.name, Grid(rows=_cells(value, texts=_has_texts(value)))))
        else:
            others.append(f"{binding.name} = {binding.literal}")
    text = _without_boards(action.expression, known, found)
    if not found:
        return "", ()
    return "  with  ".join([text, *([", ".join(others)] if others else [])]), tuple(found)


def _without_boards(
    expression: str, known: Mapping[str, ast.expr], found: list[tuple[str, Grid]]
) -> str:
    """The call with a name in place of each argument that is a board written out."""
    tree = _parsed(expression)
    if not isinstance(tree, ast.Call) or not expression.isascii() or "\n" in expression:
        return expression
    places: list[tuple[int, int, str]] = []
    for argument in tree.args:
        value = _value(argument, known) if isinstance(argument, (ast.List, ast.Tuple)) else None
        if not _is_board(value):
            continue
        taken = {name for name, _ in found}
        names = itertools.chain(["board"], (f"board_{number}" for number in itertools.count(2)))
        name = next(name for name in names if name not in taken)
        found.append((name, Grid(rows=_cells(value, texts=_has_texts(value)))))
        places.append((argument.col_offset, argument.end_col_offset or 0, name))
    for start, stop, name in reversed(places):
        expression = expression[:start] + name + expression[stop:]
    return expression


def _parsed(source: str) -> ast.expr | None:
    """An expression's tree; None where the text is none, or too long to draw."""
    if len(source) > _LONGEST or "# …" in source:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source, mode="eval").body
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


class _Filled(ast.NodeTransformer):
    def __init__(self, known: Mapping[str, ast.expr]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._known.get(node.id, node)


def _value(node: ast.expr | None, known: Mapping[str, ast.expr]) -> object:
    """What a literal is worth, known names filled in; None where it is none."""
    if node is None:
        return None
    try:
        value: object = ast.literal_eval(_Filled(known).visit(copy.deepcopy(node)))
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None
    return value


def _is_list(value: object) -> bool:
    return (
        isinstance(value, (list, tuple))
        and 0 < len(value) <= LARGEST
        and all(isinstance(row, (str, list, tuple)) and len(row) <= LARGEST for row in value)
    )


def _is_board(value: object) -> bool:
    """At least two rows of one length, at least two cells each, none of them a container. A list
    of tuples is none: those are places."""
    if not isinstance(value, (list, tuple)) or not _is_list(value) or len(value) < 2:
        return False
    if isinstance(value, list) and any(isinstance(row, tuple) for row in value):
        return False
    lengths = {len(row) for row in value}
    if len(lengths) != 1 or lengths.pop() < 2 or len({type(row) for row in value}) != 1:
        return False
    if isinstance(value[0], str):
        # Words of one length are no board: those have few signs.
        return len(set("".join(value))) <= max(4, len(value[0]))
    return not any(isinstance(cell, (list, tuple, dict, set)) for row in value for cell in row)


def _has_texts(*sides: object) -> bool:
    """Whether all cells are texts, which are then shown as they are, and else as Python source."""
    return all(
        isinstance(cell, str)
        for side in sides
        if isinstance(side, (list, tuple))
        for row in side
        for cell in row
    )


def _cells(value: object, *, texts: bool) -> Rows:
    rows = value if isinstance(value, (list, tuple)) else ()
    return tuple(tuple(cell if texts else repr(cell) for cell in row) for row in rows)


def _differing(expected: Rows, actual: Rows) -> list[tuple[int, int]]:
    return [
        (number, index)
        for number, (left, right) in enumerate(
            itertools.zip_longest(expected, actual, fillvalue=())
        )
        for index, (one, other) in enumerate(itertools.zip_longest(left, right))
        if one != other
    ]


def _cell(rows: Rows, mark: tuple[int, int], *, texts: bool) -> str:
    row, index = mark
    if row >= len(rows):
        return "no such row"
    if index >= len(rows[row]):
        return "nothing"
    return f"'{rows[row][index]}'" if texts else rows[row][index]
