"""Finds which statements and branches of a program ran, from the lines that were traced while
tests used it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from harness.model.assignment import SourceFile
from harness.model.observation import SuiteCoverage

_WITHOUT_CODE = (ast.Global, ast.Nonlocal)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BRANCHES = (ast.If, ast.While, ast.For)
_NO_LINE = 0  # before the first one of a call
_RETURNS = ("None", "True", "False")


@dataclass(frozen=True, slots=True)
class _Statement:
    """The lines of a statement; if it has a body, only the lines of its head, such as `if x:`."""

    first: int
    last: int

    def __contains__(self, line: int) -> bool:
        return self.first <= line <= self.last


@dataclass(slots=True)
class _Traced:
    """The lines of one file that ran, and which line ran before each."""

    lines: set[int] = field(default_factory=set)
    steps: set[tuple[int, int]] = field(default_factory=set)  # a line, and the next in that call
    ends: set[int] = field(default_factory=set)  # lines at which a call ended

    def note(self, line: int, before_or_result: str) -> None:
        """Record that `line` ran after the line `before_or_result`, or that a call ended there, if
        that is one of `_RETURNS`.
        """
        if before_or_result in _RETURNS:
            self.ends.add(line)
            return
        self.lines.add(line)
        before = int(before_or_result)
        if before != _NO_LINE:
            self.steps.add((before, line))

    def has_run(self, statement: _Statement) -> bool:
        return any(line in self.lines for line in range(statement.first, statement.last + 1))

    def has_passed_by(self, head: _Statement, body: _Statement) -> bool:
        """Return whether the program skipped a body: it went from the statement's head to a line
        outside the body.
        """
        if any(line in self.ends for line in range(head.first, head.last + 1)):
            return True
        left = [after for before, after in self.steps if before in head and after not in head]
        return any(after not in body for after in left)


def coverage_of(files: Sequence[SourceFile], trace: Iterable[str]) -> SuiteCoverage:
    """Return which part of a program ran.

    A text of `trace` is `file:line:line before`, or `file:line:result` at the end of a call.
    """
    traced = {file.name: _Traced() for file in files}
    for text in trace:
        name, line, before = text.rsplit(":", 2)
        if name in traced:
            traced[name].note(int(line), before)
    counted = _Counted()
    for file in files:
        counted.add(ast.parse(file.data).body, traced[file.name], "")
    return SuiteCoverage(
        statements=counted.statements,
        statements_run=counted.run,
        branches=counted.branches,
        branches_taken=counted.taken,
        untouched=tuple(counted.untouched),
    )


@dataclass(slots=True)
class _Counted:
    """Counts of statements and branches, and the functions in which no line ran."""

    statements: int = 0
    run: int = 0
    branches: int = 0
    taken: int = 0
    untouched: list[str] = field(default_factory=list)

    def add(self, body: Sequence[ast.stmt], traced: _Traced, owner: str) -> None:
        """Count the statements in a body, and those nested in them."""
        for node in body:
            if _has_code(node) and not _is_main_guard(node):
                self._add_statement(node, traced, owner)

    def _add_statement(self, node: ast.stmt, traced: _Traced, owner: str) -> None:
        head = _head(node)
        self.statements += 1
        self.run += traced.has_run(head)
        name = owner
        if isinstance(node, _DEFINITIONS):
            name = f"{owner}.{node.name}" if owner else node.name
        before = self.run
        for inner in _bodies(node):
            self.add(inner, traced, name)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and self.run == before:
            self.untouched.append(name)
        if isinstance(node, _BRANCHES):
            self._add_branches(node, head, traced)

    def _add_branches(
        self, node: ast.If | ast.While | ast.For, head: _Statement, traced: _Traced
    ) -> None:
        body = _head(node.body[0])
        is_endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
        if is_endless or body.first <= head.last:
            return  # there is one way, or no line tells which one was taken
        self.branches += 2
        self.taken += traced.has_run(body)
        self.taken += traced.has_passed_by(head, body)


def _has_code(node: ast.stmt) -> bool:
    """Return whether a statement counts as code: it is not a docstring, `...` or a bare
    annotation.
    """
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_note = isinstance(node, ast.AnnAssign) and node.value is None
    return not (is_text or is_note or isinstance(node, _WITHOUT_CODE))


def _is_main_guard(node: ast.stmt) -> bool:
    """Return whether this is `if __name__ == "__main__":`, which does not run for tests."""
    if not isinstance(node, ast.If):
        return False
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test))


def _head(node: ast.stmt) -> _Statement:
    first, last = node.lineno, node.end_lineno or node.lineno
    if isinstance(node, _DEFINITIONS):
        first = min([first, *(decorator.lineno for decorator in node.decorator_list)])
    inner = [body[0].lineno for body in _bodies(node) if body]
    if inner:
        last = max(node.lineno, min(inner) - 1)
    return _Statement(first, last)


def _bodies(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the bodies of a statement in their order."""
    for name in ("body", "handlers", "cases", "orelse", "finalbody"):
        part = getattr(node, name, [])
        if name in ("handlers", "cases"):
            yield from (inner.body for inner in part)
        else:
            yield part
