"""Makes the outline of a submission: its functions and constants, and which of them mention each
other.

It also contains the output of module-level code: the literal parts of each `print` and `input`, the
statements that compute the values in between, and the conditions around it. No function here is
recursive, because a student's file may be nested very deeply.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeGuard

from harness.model.policy import Loop, ModuleOutline, Outline, OutlinePart, Printing
from harness.policy.index import (
    DEFINITIONS,
    Index,
    ScopeKind,
    Visit,
    base_of,
    is_main_guard,
    name_bound,
    walk,
)
from harness.policy.luck import lucky_calls
from harness.policy.reading import PythonSource

MAX_PARTS = 400
MAX_LOOPS = 1000
MAX_LINE_LENGTH = 200
MAX_PRINTINGS = 200
MAX_VALUES = 100  # maximum statements that compute the values of one print
MAX_PIECES = 50
MAX_CONDITIONS = 50
_PARTS = (ast.Attribute, ast.Subscript)
_LOOPS = (ast.While, ast.For)
_BLOCKS = ("body", "orelse", "finalbody", "handlers")
_ASSIGNING = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.NamedExpr, ast.Call)
_PERCENT = re.compile(r"%[-#0 +]?[0-9*]*(?:\.[0-9*]+)?[a-zA-Z]")
_BRACES = re.compile(r"\{[^{}]*\}")

_Piece = str | None  # None stands for a value, which may be any text


def outline(sources: Iterable[PythonSource]) -> Outline:
    """Return the outline of these files together."""
    statements: dict[PythonSource, list[ast.stmt]] = {}
    for source in sources:
        statements[source] = list(_statements(source.index.tree.body))
    names = _OwnNames.of(chain.from_iterable(statements.values()))
    parts: list[OutlinePart] = []
    members: list[OutlinePart] = []
    modules: list[ModuleOutline] = []
    loops: list[Loop] = []
    for source, of_file in statements.items():
        for statement in of_file:
            for name in _bound(statement):
                parts.append(_part(source, statement, name, names, [statement]))
            if isinstance(statement, ast.ClassDef):
                members += _members(source, statement, names)
        modules.append(_module(source, of_file, names))
        loops += _loops(source)
    printings = chain.from_iterable(map(_printings, statements))
    return Outline(
        parts=tuple(parts[:MAX_PARTS]),
        members=tuple(members[:MAX_PARTS]),
        modules=tuple(modules),
        loops=tuple(loops[:MAX_LOOPS]),
        printings=tuple(islice(printings, MAX_PRINTINGS)),
        lucky_calls=lucky_calls(statements),
    )


def _module(
    source: PythonSource, statements: Sequence[ast.stmt], names: "_OwnNames"
) -> ModuleOutline:
    """Return the outline of a file's code outside functions."""
    outside = [statement for statement in statements if not isinstance(statement, DEFINITIONS)]
    mentions, attributes = names.used_in(outside)
    line, through = _asks_at(source)
    asking = ""
    if line:
        asking = source.lines[line - 1][:MAX_LINE_LENGTH]
    return ModuleOutline(
        file=source.name,
        mentions=mentions,
        attributes=attributes,
        asks=line,
        through=through,
        asking=asking,
    )


def _loops(source: PythonSource) -> Iterator[Loop]:
    for visit in source.index.of(*_LOOPS):
        first = visit.node.lineno
        yield Loop(file=source.name, first=first, last=visit.node.end_lineno or first)


@dataclass(frozen=True, slots=True, kw_only=True)
class _OwnNames:
    """The names defined at the top level of the files, and the methods of their classes."""

    names: Set[str]
    methods: Set[str]

    @classmethod
    def of(cls, statements: Iterable[ast.stmt]) -> "_OwnNames":
        names: set[str] = set()
        methods: set[str] = set()
        for statement in statements:
            names.update(_bound(statement))
            if isinstance(statement, ast.ClassDef):
                for part in filter(_is_method, statement.body):
                    methods.add(part.name)
        return cls(names=names, methods=methods)

    def used_in(
        self, code: Iterable[ast.AST], but: str = ""
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names and the methods used in this code, except `but`.

        `connect4.win` counts as a use of another file's function.
        """
        mentioned: set[str] = set()
        attributes: set[str] = set()
        for part in code:
            for node in walk(part):
                if isinstance(node, ast.Attribute):
                    attributes.add(node.attr)
                elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    mentioned.add(node.id)
        names = (mentioned | attributes) & self.names - {but}
        methods = attributes & self.methods
        return tuple(sorted(names)), tuple(sorted(methods))


def _asks_at(source: PythonSource) -> tuple[int, str]:
    """Return the first line that calls `input` while the file is loaded, and the function called
    there; (0, "") if there is none.
    """
    body = source.index.tree.body
    asking = _asking(body)
    for statement in body:
        is_guard = isinstance(statement, ast.If) and is_main_guard(statement.test)
        if is_guard:
            continue
        lines: list[tuple[int, str]] = []
        for node in _run_at_load(statement):
            for name, line in _calls(node).items():
                if name in asking:
                    lines.append((line, name))
        if lines:
            return min(lines)
    return 0, ""


def _run_at_load(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the code that runs when a module-level statement is executed: for a definition its
    decorators and default values, for a class also its body.
    """
    if not isinstance(statement, DEFINITIONS):
        yield statement
        return
    yield from statement.decorator_list
    if isinstance(statement, ast.ClassDef):
        for inner in statement.body:
            yield from _run_at_load(inner)
        return
    yield from statement.args.defaults
    for default in statement.args.kw_defaults:
        if default is not None:
            yield default


def _asking(body: Sequence[ast.stmt]) -> set[str]:
    """Return the functions that call `input`, directly or indirectly."""
    called: dict[str, set[str]] = {}
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            called[statement.name] = set(_calls(statement))
    asking = {"input"}
    known = 0
    while known < len(asking):
        known = len(asking)
        for name, names in called.items():
            if not names.isdisjoint(asking):
                asking.add(name)
    return asking


def _calls(statement: ast.AST) -> dict[str, int]:
    """Return the names that this code calls, each with the line of its first call."""
    first_lines: dict[str, int] = {}
    for node in walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            first = first_lines.get(name, node.lineno)
            first_lines[name] = min(first, node.lineno)
    return first_lines


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield a module's statements, including those inside module-level `if`s and loops."""
    pending: list[ast.AST] = list(reversed(body))
    while pending:
        statement = pending.pop()
        blocks: list[ast.AST] = []
        for block in _BLOCKS:
            blocks += getattr(statement, block, ())
        if blocks and not isinstance(statement, DEFINITIONS):
            pending.extend(reversed(blocks))
            # The head of a block (a condition, a `with`) is code as well.
            for head in ("test", "iter", "subject"):
                value = getattr(statement, head, None)
                if isinstance(value, ast.expr):
                    yield ast.copy_location(ast.Expr(value=value), value)
        elif isinstance(statement, ast.stmt):
            yield statement


def _bound(statement: ast.stmt) -> tuple[str, ...]:
    if isinstance(statement, DEFINITIONS):
        return (statement.name,)
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    names: list[str] = []
    for target in targets:
        if isinstance(target, ast.Name):
            names.append(target.id)
    return tuple(names)


def _part(
    source: PythonSource, statement: ast.stmt, name: str, names: _OwnNames, code: Sequence[ast.AST]
) -> OutlinePart:
    """Return the outline of the part that the statement defines.

    `code` has the nodes that belong to it.
    """
    first = statement.lineno
    for decorator in getattr(statement, "decorator_list", ()):
        first = min(first, decorator.lineno)
    mentions, attributes = names.used_in(code, but=name)
    return OutlinePart(
        name=name,
        file=source.name,
        first=first,
        last=statement.end_lineno or statement.lineno,
        callable=isinstance(statement, DEFINITIONS),
        mentions=mentions,
        attributes=attributes,
    )


def _members(
    source: PythonSource, definition: ast.ClassDef, names: _OwnNames
) -> Iterator[OutlinePart]:
    """Yield the methods that are called by name, and then the rest of the class."""
    rest: list[ast.AST] = [*definition.bases, *definition.keywords, *definition.decorator_list]
    for child in definition.body:
        if _is_method(child):
            name = f"{definition.name}.{child.name}"
            yield _part(source, child, name, names, [child])
        else:
            rest.append(child)
    yield _part(source, definition, definition.name, names, rest)


def _is_method(statement: ast.stmt) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return whether it is a method that is called by name, unlike `__init__`, which
    Python calls.
    """
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    name = statement.name
    is_of_python = name.startswith("__") and name.endswith("__")
    return not is_of_python


def _printings(source: PythonSource) -> Iterator[Printing]:
    """Yield the texts that module-level code prints, one for each line."""
    assigned = _assignments(source.index)
    for visit in source.index.of(ast.Call):
        node = visit.node
        called = node.func
        is_printing = isinstance(called, ast.Name) and called.id in {"print", "input"}
        if not is_printing or not _is_outside(visit):
            continue
        values = _values(node, assigned)
        conditions = _conditions(visit)
        printed = _printed_pieces(node)
        for pieces in _literal_lines(printed):
            if len(pieces) > MAX_PIECES:
                continue
            yield Printing(
                file=source.name,
                line=node.lineno,
                pieces=pieces,
                values=values,
                conditions=conditions,
            )


def _conditions(visit: Visit[ast.AST]) -> tuple[int, ...]:
    """Return the lines of the conditions around a node, outermost first, up to the
    enclosing loop.
    """
    lines: list[int] = []
    for holder in visit.holders():
        if isinstance(holder.node, _LOOPS) or len(lines) == MAX_CONDITIONS:
            break
        if isinstance(holder.node, ast.If) and not is_main_guard(holder.node.test):
            lines.append(holder.node.lineno)
    return tuple(reversed(lines))


def _is_outside(visit: Visit[ast.AST]) -> bool:
    """Return whether a node is module-level code, outside functions and classes."""
    scope = visit.scope
    while scope.kind is ScopeKind.COMPREHENSION and scope.outer is not None:
        scope = scope.outer
    return scope.kind is ScopeKind.MODULE


def _assignments(index: Index) -> dict[str, dict[int, set[str]]]:
    """Return for each name the module-level lines that assign it, each with the names used
    there.
    """
    assigned: dict[str, dict[int, set[str]]] = {}
    visits: Iterator[Visit[ast.stmt | ast.expr]] = index.of(*_ASSIGNING)
    for visit in visits:
        node = visit.node
        targets = _targets(node)
        if not targets or not _is_outside(visit):
            continue
        value: ast.AST = node
        if isinstance(node, ast.For):
            value = node.iter
        names = _names(value)
        for name in _changed_by(targets):
            lines = assigned.setdefault(name, {})
            lines.setdefault(node.lineno, set()).update(names)
    return assigned


def _targets(node: ast.AST) -> Sequence[ast.AST]:
    """Return the expressions that a node assigns to."""
    match node:
        case ast.Assign():
            return node.targets
        case ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.NamedExpr():
            return [node.target]
        case ast.Call(func=ast.Attribute(value=value)):
            # `names.append(name)` changes names; in `names.pop().strip()` the inner call does.
            base = base_of(value, _PARTS)
            if isinstance(base, ast.Name):
                return [base]
    return ()


def _changed_by(targets: Iterable[ast.AST]) -> set[str]:
    """Return the names that an assignment to these targets changes:

    `ages[name] = 3` changes `ages`.
    """
    names: set[str] = set()
    for target in targets:
        base = base_of(target, _PARTS)
        if isinstance(base, ast.Name):
            names.add(base.id)
        else:
            names.update(map(name_bound, walk(base)))
    return names - {""}


def _names(node: ast.AST) -> set[str]:
    names: set[str] = set()
    for part in walk(node):
        if isinstance(part, ast.Name):
            names.add(part.id)
    return names


def _values(call: ast.Call, assigned: dict[str, dict[int, set[str]]]) -> tuple[int, ...]:
    """Return the lines that compute the values of a call's arguments, directly or indirectly."""
    lines: set[int] = set()
    used: set[str] = set()
    pending: list[str] = []
    for argument in call.args:
        pending += _names(argument)
    while pending and len(lines) < MAX_VALUES:
        name = pending.pop()
        if name in used:
            continue
        used.add(name)
        changes = assigned.get(name, {})
        for line, names in changes.items():
            lines.add(line)
            pending += names
    lines.discard(call.lineno)
    before = sorted(lines)
    return tuple(before[:MAX_VALUES])


def _printed_pieces(call: ast.Call) -> Iterator[_Piece]:
    between: _Piece = " "
    for keyword in call.keywords:
        match keyword:
            case ast.keyword(arg="sep", value=ast.Constant(value=str(text))):
                between = text
            case ast.keyword(arg="sep"):
                between = None
    for number, argument in enumerate(call.args):
        if number:
            yield between
        yield from _pieces(argument)


def _pieces(expression: ast.expr) -> Iterator[_Piece]:
    pending: list[ast.expr] = [expression]
    while pending:
        match pending.pop():
            case ast.Constant(value=value):
                yield str(value)
            case ast.JoinedStr(values=values):
                pending += reversed(values)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                pending += (right, left)
            case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mod()):
                yield from _around_values(_PERCENT.split(text))
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
                yield from _around_values(_BRACES.split(text))
            case _:
                yield None


def _around_values(texts: Sequence[str]) -> Iterator[_Piece]:
    yield texts[0]
    for text in texts[1:]:
        yield None
        yield text


def _literal_lines(shown: Iterator[_Piece]) -> Iterator[tuple[str, ...]]:
    """Yield the literal pieces of each line of the text. Computed values may be between them."""
    line = [""]
    for piece in shown:
        if piece is None:
            line.append("")
            continue
        first, *others = piece.split("\n")
        line[-1] += first
        for text in others:
            yield tuple(line)
            line = [text]
    yield tuple(line)
