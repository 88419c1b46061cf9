"""Facts of a program's text: it runs in a confined process, with the standard library alone."""

from __future__ import annotations

import ast
import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 20  # of each kind
BLOCK = 4  # repeated statements
_ORDINARY = (0, 1, 2, -1, 10, 100)


def run(payload: str) -> str:
    """Of files, as `{name: text}` in JSON: `longest`, `undocumented`, `numbers`, `repeated`, each
    rows of name, file, line, count; `unreadable` names the files that do not parse."""
    facts: dict[str, list[Any]] = {
        "longest": [], "undocumented": [], "numbers": [], "repeated": [], "unreadable": [],
    }  # fmt: skip
    for file, text in sorted(json.loads(payload).items()):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            facts["unreadable"].append(file)
            continue
        _functions(tree, file, facts)
        _numbers(tree, file, facts["numbers"])
        _repetitions(tree, file, facts["repeated"])
    facts["longest"].sort(key=lambda row: (-row[3], row[1], row[2]))
    facts["numbers"].sort(key=lambda row: (-row[3], row[1], row[2]))
    facts["repeated"].sort(key=lambda row: (-row[3], row[1], row[2]))
    facts["longest"] = facts["longest"][:3]
    return json.dumps({key: rows[:MOST] for key, rows in facts.items()})


def _functions(tree: Any, file: str, facts: Any) -> None:
    if ast.get_docstring(tree) is None:
        facts["undocumented"].append(("the file", file, 1, 0))
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        if ast.get_docstring(node) is None and not node.name.startswith("__"):
            facts["undocumented"].append((node.name, file, node.lineno, 0))
        if isinstance(node, ast.FunctionDef):
            first = node.body[0]
            lines = (node.end_lineno or node.lineno) - first.lineno + 1
            if ast.get_docstring(node) is not None:
                lines = (node.end_lineno or 0) - (first.end_lineno or 0)
            facts["longest"].append((node.name, file, node.lineno, lines))


def _numbers(tree: Any, file: str, rows: Any) -> None:
    """Numbers in functions; a name in capitals that is set to one explains it."""
    places: dict[str, list[int]] = {}
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
                continue
            if node.value not in _ORDINARY:
                places.setdefault(repr(node.value)[:20], []).append(node.lineno)
    rows += [(text, file, lines[0], len(lines)) for text, lines in places.items()]


def _repetitions(tree: Any, file: str, rows: Any) -> None:
    """Runs of statements that stand in the file again, names of the same kind or not."""
    first_places: dict[str, tuple[int, int]] = {}
    covered = 0
    for parent in ast.walk(tree):
        for body in (getattr(parent, part, None) for part in ("body", "orelse")):
            if not isinstance(body, list) or isinstance(parent, ast.Module):
                continue
            for at in range(len(body) - BLOCK + 1):
                block = body[at : at + BLOCK]
                first, last = block[0].lineno, block[-1].end_lineno
                if first <= covered:
                    continue
                text = "\n".join(ast.dump(each) for each in block)
                before = first_places.setdefault(text, (first, last))
                if before[0] != first:
                    rows.append(
                        (f"lines {before[0]} to {before[1]}", file, first, last - first + 1)
                    )
                    covered = last
