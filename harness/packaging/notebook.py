"""Convert a stub to a notebook whose last cell runs the self-check."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from harness.common.errors import UserError
from harness.intake.notebooks.reading import SELF_CHECK_TAG, notebook_name
from harness.model.assignment import Assignment, SourceFile

_HOW = (
    "Write your program in the cells below. They run from top to bottom. Hand in this file, "
    "`{name}`.\n\nBefore you check your work, save the notebook; then run the last cell."
)
_CELLS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def notebook_of(stubs: Sequence[SourceFile], assignment: Assignment, command: str) -> SourceFile:
    """Return the assignment's only stub as a notebook.

    Raise UserError if the assignment accepts no notebooks or has several files.
    """
    if not assignment.takes_notebooks or len(stubs) != 1:
        problem = "only an assignment with one Python file has a notebook"
        raise UserError(problem, place=assignment.id, hint="leave out --notebook")
    return as_notebook(stubs[0], assignment.title, command)


def as_notebook(stub: SourceFile, title: str, command: str) -> SourceFile:
    """Return the notebook for a stub.

    Each function or class becomes a cell, and so do the lines between two of them. The last cell
    runs `command` with the notebook's name as argument.
    """
    name = notebook_name(stub.name)
    how = _HOW.format(name=name)
    cells = [_cell("markdown", f"# {title}\n\n{how}")]
    for text in _parts(stub.data.decode()):
        cells.append(_cell("code", text))
    check = _cell("code", f"!{command} {name}")
    check["metadata"] = {"tags": [SELF_CHECK_TAG]}
    cells.append(check)
    for number, cell in enumerate(cells):
        digest = sha256(f"{name} {number}".encode())
        cell["id"] = digest.hexdigest()[:8]
    notebook = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    written = json.dumps(notebook, indent=1, ensure_ascii=False)
    return SourceFile(name=name, data=f"{written}\n".encode())


def _cell(kind: str, source: str) -> dict[str, Any]:
    lines = source.splitlines(keepends=True)
    cell: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": lines}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell


def _parts(text: str) -> list[str]:
    """Split the text into cells, without empty lines around them.

    Leave out the module's docstring, because the notebook has a title.
    """
    lines = text.splitlines()
    parts: list[str] = []
    tree = ast.parse(text)
    at = 0
    if ast.get_docstring(tree) is not None:
        at = tree.body[0].end_lineno or 1
    for node in tree.body:
        if not isinstance(node, _CELLS):
            continue
        begin = _first_line(node) - 1
        end = node.end_lineno or node.lineno
        between = lines[at:begin]
        parts += [_joined(between), _joined(lines[begin:end])]
        at = end
    parts.append(_joined(lines[at:]))
    return [part for part in parts if part]


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    first = node.lineno
    for decorator in node.decorator_list:
        first = min(first, decorator.lineno)
    return first


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines).strip("\n")
