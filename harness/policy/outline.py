"""The outline of a submission: which functions and constants its text has, and which mention which.

Walks with a list of its own, since a student's file may nest as deeply as the parser lets it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeGuard

from harness.model.policy import Loop, ModuleOutline, Outline, OutlinePart
from harness.policy.printing import MOST_PRINTINGS, printings_of
from harness.policy.reading import Source
from harness.policy.rules.structure import is_main_guard
from harness.policy.survey import walk

MOST_PARTS = 400
MOST_LOOPS = 1000
MOST_LINES = 100  # of the text of a part
LONGEST_LINE = 200
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("body", "orelse", "finalbody", "handlers")


def outline(sources: Iterable[Source]) -> Outline:
    """The outline of these files together."""
    texts = [(source, list(_statements(source.tree.body))) for source in sources]
    own = {name for _, statements in texts for s in statements for name in _bound(s)}
    classes = [s for _, statements in texts for s in statements if isinstance(s, ast.ClassDef)]
    methods = {child.name for each in classes for child in each.body if _is_method(child)}
    parts: list[OutlinePart] = []
    members: list[OutlinePart] = []
    modules: list[ModuleOutline] = []
    for source, statements in texts:
        outside: list[ast.AST] = []
        for statement in statements:
            names = _bound(statement)
            if not isinstance(statement, _DEFINITIONS):
                outside.append(statement)
            parts.extend(_part(source, statement, name, own, methods) for name in names)
            if isinstance(statement, ast.ClassDef):
                members.extend(_members(source, statement, own, methods))
        mentioned = {name for each in outside for name in _mentioned(each, own)}
        attributes = {name for each in outside for name in _attributes(each, methods)}
        line, through = _asks_at(source)
        modules.append(
            ModuleOutline(
                file=source.name,
                mentions=tuple(sorted(mentioned)),
                attributes=tuple(sorted(attributes)),
                asks=line,
                through=through,
                asking=source.lines[line - 1][:LONGEST_LINE] if line else "",
            )
        )
    loops = [
        Loop(file=source.name, first=node.lineno, last=node.end_lineno or node.lineno)
        for source, _ in texts
        for node in walk(source.tree)
        if isinstance(node, (ast.While, ast.For))
    ]
    printings = [each for source, _ in texts for each in printings_of(source)]
    return Outline(
        parts=tuple(parts[:MOST_PARTS]),
        members=tuple(members[:MOST_PARTS]),
        modules=tuple(modules),
        loops=tuple(loops[:MOST_LOOPS]),
        printings=tuple(printings[:MOST_PRINTINGS]),
    )


def _asks_at(source: Source) -> tuple[int, str]:
    """The first line that asks for input as the file is loaded, and what it calls; 0 for none."""
    called = {
        statement.name: set(_called(statement))
        for statement in source.tree.body
        if isinstance(statement, ast.FunctionDef)
    }
    asking = {"input"}
    while more := {name for name, names in called.items() if names & asking} - asking:
        asking |= more
    for statement in source.tree.body:
        if isinstance(statement, _DEFINITIONS):
            continue
        if isinstance(statement, ast.If) and is_main_guard(statement.test):
            continue
        lines = [(line, name) for name, line in _called(statement).items() if name in asking]
        if lines:
            return min(lines)
    return 0, ""


def _called(statement: ast.stmt) -> dict[str, int]:
    """The names that are called in it, and the first line on which each is."""
    found: dict[str, int] = {}
    for node in walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found[node.func.id] = min(node.lineno, found.get(node.func.id, node.lineno))
    return found


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """A module's own statements, those in its conditions and loops among them, blocks left out."""
    left: list[ast.AST] = list(reversed(body))
    while left:
        statement = left.pop()
        blocks = [part for block in _BLOCKS for part in getattr(statement, block, ())]
        if blocks and not isinstance(statement, _DEFINITIONS):
            left.extend(reversed(blocks))
            # What is in the head of a block (a condition, a `with`) is code as well.
            for head in ("test", "iter", "subject"):
                value = getattr(statement, head, None)
                if isinstance(value, ast.expr):
                    yield ast.copy_location(ast.Expr(value=value), value)
        elif isinstance(statement, ast.stmt):
            yield statement


def _bound(statement: ast.stmt) -> tuple[str, ...]:
    if isinstance(statement, _DEFINITIONS):
        return (statement.name,)
    if isinstance(statement, ast.Assign):
        return tuple(t.id for t in statement.targets if isinstance(t, ast.Name))
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return (statement.target.id,) if isinstance(statement.target, ast.Name) else ()
    return ()


def _part(
    source: Source, statement: ast.stmt, name: str, own: set[str], methods: set[str]
) -> OutlinePart:
    decorators = getattr(statement, "decorator_list", ())
    first = min([statement.lineno, *(each.lineno for each in decorators)])
    last = statement.end_lineno or statement.lineno
    shown = source.lines[first - 1 : min(last, first - 1 + MOST_LINES)]
    return OutlinePart(
        name=name,
        file=source.name,
        first=first,
        last=last,
        callable=isinstance(statement, _DEFINITIONS),
        mentions=tuple(sorted(_mentioned(statement, own) - {name})),
        attributes=tuple(sorted(_attributes(statement, methods))),
        text=tuple(line[:LONGEST_LINE] for line in shown),
    )


def _members(
    source: Source, definition: ast.ClassDef, own: set[str], methods: set[str]
) -> Iterator[OutlinePart]:
    """The methods that are called by name; then the rest of the class."""
    rest: list[ast.AST] = [*definition.bases, *definition.keywords, *definition.decorator_list]
    for child in definition.body:
        if _is_method(child):
            yield _part(source, child, f"{definition.name}.{child.name}", own, methods)
        else:
            rest.append(child)
    whole = _part(source, definition, definition.name, own, methods)
    mentions = {name for each in rest for name in _mentioned(each, own)} - {definition.name}
    attributes = {name for each in rest for name in _attributes(each, methods)}
    yield replace(
        whole, mentions=tuple(sorted(mentions)), attributes=tuple(sorted(attributes)), text=()
    )


def _is_method(statement: ast.stmt) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Whether it is called by its name: what Python calls, as `__init__`, is not."""
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return not (statement.name.startswith("__") and statement.name.endswith("__"))


def _attributes(statement: ast.AST, methods: set[str]) -> set[str]:
    return {node.attr for node in walk(statement) if isinstance(node, ast.Attribute)} & methods


def _mentioned(statement: ast.AST, own: set[str]) -> set[str]:
    found: set[str] = set()
    for node in walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):  # `connect4.win`: a function of another own file
            found.add(node.attr)
    return found & own
