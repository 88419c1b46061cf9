"""Compiles the program of a notebook so that it runs cell by cell, as in Jupyter.

An exception ends its cell, and the next cell runs. The figures of a cell are shown at its end. The
compiled code does both by calling two built-in functions, which `install` sets in the scenario's
process.
"""

from __future__ import annotations

import _ast
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType
    from typing import Any

# These names are not identifiers, so no program can contain them.
_MUST_GO_ON, _CELL_ENDS = "<cell raised>", "<cell ends>"


def compile_tree(tree: Any, filename: str, cell_ends: tuple[int, ...]) -> CodeType:
    """Return the code of a module's syntax tree, with each cell on its own.

    `cell_ends` are the last lines of the cells in order; without any, it is a plain program. The
    tree is changed.
    """
    if cell_ends:
        tree.body[:] = _in_cells(tree.body, cell_ends)
    return compile(tree, filename, "exec", dont_inherit=True, optimize=0)


def install(raised: Callable[[BaseException], object], ended: Callable[[], object]) -> None:
    """Set the functions that compiled notebooks call:

    `raised` gets an exception that ended a cell, `ended` is called at the end of each cell.
    """

    def must_go_on() -> bool:
        """Return whether the exception ends the whole program, such as SystemExit, and not only
        its cell.
        """
        error = sys.exc_info()[1]
        if not isinstance(error, Exception) or isinstance(error, MemoryError):
            return True
        raised(error)
        return False

    built_ins = sys.modules["builtins"].__dict__
    built_ins[_MUST_GO_ON] = must_go_on
    built_ins[_CELL_ENDS] = ended


def _in_cells(body: list[Any], cell_ends: tuple[int, ...]) -> Iterator[Any]:
    """Yield the statements of a module, with each cell's statements wrapped in one `try`."""
    first = _after_beginning(body)
    yield from body[:first]
    ends = list(cell_ends)
    cell: list[Any] = []
    for statement in body[first:]:
        if cell and statement.lineno > ends[0]:
            yield _guarded(cell)
            cell = []
        while len(ends) > 1 and statement.lineno > ends[0]:
            del ends[0]
        cell.append(statement)
    if cell:
        yield _guarded(cell)


def _after_beginning(body: list[Any]) -> int:
    """Return the index of the first statement after the docstring and the imports from
    `__future__`, which must stay at the top of a module.
    """
    index = 0
    if body and isinstance(body[0], _ast.Expr) and isinstance(body[0].value, _ast.Constant):
        index = 1
    while index < len(body) and getattr(body[index], "module", "") == "__future__":
        index += 1
    return index


def _guarded(cell: list[Any]) -> Any:
    """Return a `try` around a cell's statements that keeps their lines."""
    place = {"lineno": cell[0].lineno, "col_offset": 0, "end_lineno": cell[0].lineno}
    place["end_col_offset"] = 0
    leaves = _ast.If(_call(_MUST_GO_ON, place), [_ast.Raise(None, None, **place)], [], **place)
    handler = _ast.ExceptHandler(None, None, [leaves], **place)
    ends = _ast.Expr(_call(_CELL_ENDS, place), **place)
    return _ast.Try(cell, [handler], [], [ends], **place)


def _call(name: str, place: dict[str, int]) -> Any:
    function = _ast.Name(name, _ast.Load(), **place)
    return _ast.Call(function, [], [], **place)
