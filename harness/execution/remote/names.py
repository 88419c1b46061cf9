"""What a submission's process learns of a stand-in module: names, and nothing of its text."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from harness.common.errors import HarnessError
from harness.model.assignment import SourceFile

ProxyNames = tuple[tuple[str, ...], tuple[str, ...]]
"""The public functions of a module, and its other public names, whose values cannot travel."""


def proxy_names(file: SourceFile) -> ProxyNames:
    """Both kinds of names, sorted. HarnessError when the file is no Python."""
    try:
        body = ast.parse(file.data).body
    except (SyntaxError, ValueError):
        raise HarnessError(f"{file.name} is not Python") from None
    functions: set[str] = set()
    others: set[str] = set()
    for statement in _statements(body):
        if isinstance(statement, ast.FunctionDef):
            functions.add(statement.name)
        else:
            others.update(_bound(statement))
    return (
        tuple(sorted(name for name in functions if not name.startswith("_"))),
        tuple(sorted(name for name in others - functions if not name.startswith("_"))),
    )


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The module's own statements, those of its conditions among them."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try | ast.With | ast.For | ast.While):
            for part in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(statement, part, ()))


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.ClassDef | ast.AsyncFunctionDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            yield (alias.asname or alias.name).partition(".")[0]
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.For):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            for node in ast.walk(target):
                if isinstance(node, ast.Name):
                    yield node.id
