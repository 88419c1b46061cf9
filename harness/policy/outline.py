"""The outline of a submission: its functions and constants, which mention which, and what its code
outside functions prints: the literal parts of each `print` and `input`, the statements that give
the values between them, and the conditions that decide on it. No function here calls itself, since
a student's file may nest as deeply as the parser lets it."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import islice, takewhile
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
from harness.policy.reading import Source

MOST_PARTS = 400
MOST_LOOPS = 1000
MOST_DROPPED = 10
LONGEST_LINE = 200
MOST_PRINTINGS = 200
MOST_VALUES = 100  # statements that give the values of one printing
MOST_PIECES = 50
MOST_CONDITIONS = 50
_PARTS = (ast.Attribute, ast.Subscript)
_LOOPS = (ast.While, ast.For)
_BLOCKS = ("body", "orelse", "finalbody", "handlers")
_ASSIGNING = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.NamedExpr, ast.Call)
_PERCENT = re.compile(r"%[-#0 +]?[0-9*]*(?:\.[0-9*]+)?[a-zA-Z]")
_BRACES = re.compile(r"\{[^{}]*\}")

_Piece = str | None  # None: a value, which may be any text


def outline(sources: Iterable[Source]) -> Outline:
    """The outline of these files together."""
    texts = [(source, list(_statements(source.index.tree.body))) for source in sources]
    everything = [statement for _, statements in texts for statement in statements]
    classes = [each for each in everything if isinstance(each, ast.ClassDef)]
    names = _OwnNames(
        names={name for statement in everything for name in _bound(statement)},
        methods={child.name for each in classes for child in each.body if _is_method(child)},
    )
    parts: list[OutlinePart] = []
    members: list[OutlinePart] = []
    modules: list[ModuleOutline] = []
    for source, statements in texts:
        for statement in statements:
            code = [statement]
            parts += (_part(source, statement, name, names, code) for name in _bound(statement))
            if isinstance(statement, ast.ClassDef):
                members += _members(source, statement, names)
        outside = [each for each in statements if not isinstance(each, DEFINITIONS)]
        mentions, attributes = names.used_in(outside)
        line, through = _asks_at(source)
        modules.append(
            ModuleOutline(
                file=source.name,
                mentions=mentions,
                attributes=attributes,
                asks=line,
                through=through,
                asking=source.lines[line - 1][:LONGEST_LINE] if line else "",
            )
        )
    loops = [
        Loop(file=source.name, first=node.lineno, last=node.end_lineno or node.lineno)
        for source, _ in texts
        for node in (visit.node for visit in source.index.of(*_LOOPS))
    ]
    printings = (each for source, _ in texts for each in _printings(source))
    return Outline(
        parts=tuple(parts[:MOST_PARTS]),
        members=tuple(members[:MOST_PARTS]),
        modules=tuple(modules),
        loops=tuple(loops[:MOST_LOOPS]),
        printings=tuple(islice(printings, MOST_PRINTINGS)),
        lucky_calls=lucky_calls(source for source, _ in texts),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _OwnNames:
    """The names at the top level of the files, and those of their classes' methods."""

    names: Set[str]
    methods: Set[str]

    def used_in(
        self, code: Iterable[ast.AST], but: str = ""
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names and the methods that occur; of `connect4.win` another file's function too."""
        nodes = [node for each in code for node in walk(each)]
        names = [node for node in nodes if isinstance(node, ast.Name)]
        mentioned = {node.id for node in names if isinstance(node.ctx, ast.Load)}
        attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        own = (mentioned | attributes) & self.names - {but}
        return tuple(sorted(own)), tuple(sorted(attributes & self.methods))


def _asks_at(source: Source) -> tuple[int, str]:
    """The first line that asks for input as the file is loaded, and what it calls; 0 for none."""
    body = source.index.tree.body
    called = {each.name: set(_calls(each)) for each in body if isinstance(each, ast.FunctionDef)}
    asking = {"input"}
    while more := {name for name, names in called.items() if names & asking} - asking:
        asking |= more
    for statement in body:
        is_guard = isinstance(statement, ast.If) and is_main_guard(statement.test)
        calls = {} if is_guard or isinstance(statement, DEFINITIONS) else _calls(statement)
        if lines := [(line, name) for name, line in calls.items() if name in asking]:
            return min(lines)
    return 0, ""


def _calls(statement: ast.stmt) -> dict[str, int]:
    """The names that are called in it, and the first line on which each is."""
    first_lines: dict[str, int] = {}
    for node in walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            first_lines[node.func.id] = min(node.lineno, first_lines.get(node.func.id, node.lineno))
    return first_lines


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """A module's own statements, those in its conditions and loops among them, blocks left out."""
    pending: list[ast.AST] = list(reversed(body))
    while pending:
        statement = pending.pop()
        blocks = [part for block in _BLOCKS for part in getattr(statement, block, ())]
        if blocks and not isinstance(statement, DEFINITIONS):
            pending.extend(reversed(blocks))
            # What is in the head of a block (a condition, a `with`) is code as well.
            for head in ("test", "iter", "subject"):
                value = getattr(statement, head, None)
                if isinstance(value, ast.expr):
                    yield ast.copy_location(ast.Expr(value=value), value)
        elif isinstance(statement, ast.stmt):
            yield statement


def _bound(statement: ast.stmt) -> tuple[str, ...]:
    if isinstance(statement, DEFINITIONS):
        return (statement.name,)
    if isinstance(statement, ast.Assign):
        return tuple(t.id for t in statement.targets if isinstance(t, ast.Name))
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return (statement.target.id,) if isinstance(statement.target, ast.Name) else ()
    return ()


def _part(
    source: Source, statement: ast.stmt, name: str, names: _OwnNames, code: Sequence[ast.AST]
) -> OutlinePart:
    """The part that the statement defines; `code` is what of it is the part's own."""
    decorators = getattr(statement, "decorator_list", ())
    mentions, attributes = names.used_in(code, but=name)
    return OutlinePart(
        name=name,
        file=source.name,
        first=min([statement.lineno, *(each.lineno for each in decorators)]),
        last=statement.end_lineno or statement.lineno,
        callable=isinstance(statement, DEFINITIONS),
        mentions=mentions,
        attributes=attributes,
        dropped=tuple(_dropped(statement))[:MOST_DROPPED],
    )


def _dropped(statement: ast.stmt) -> Iterator[int]:
    """Of statements that compare two sides, the first of which could be given a value by `=`."""
    for node in walk(statement):
        match node:
            case ast.Expr(value=ast.Compare(left=left, ops=[ast.Eq()])) as found:
                if isinstance(left, (ast.Name, *_PARTS)):
                    yield found.lineno


def _members(source: Source, definition: ast.ClassDef, names: _OwnNames) -> Iterator[OutlinePart]:
    """The methods that are called by name; then the rest of the class."""
    rest: list[ast.AST] = [*definition.bases, *definition.keywords, *definition.decorator_list]
    for child in definition.body:
        if _is_method(child):
            yield _part(source, child, f"{definition.name}.{child.name}", names, [child])
        else:
            rest.append(child)
    yield _part(source, definition, definition.name, names, rest)


def _is_method(statement: ast.stmt) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Whether it is called by its name: what Python calls, as `__init__`, is not."""
    if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    return not (statement.name.startswith("__") and statement.name.endswith("__"))


def _printings(source: Source) -> Iterator[Printing]:
    """Return the texts that a file prints outside its functions, one for each line."""
    assigned = _assignments(source.index)
    for visit in source.index.of(ast.Call):
        node = visit.node
        is_printing = isinstance(node.func, ast.Name) and node.func.id in {"print", "input"}
        if not is_printing or not _is_outside(visit):
            continue
        values = _values(node, assigned)
        # The conditions around it in the same loop.
        holders = (holder.node for holder in visit.holders())
        inside = takewhile(lambda holder: not isinstance(holder, _LOOPS), holders)
        ifs = (each for each in inside if isinstance(each, ast.If) and not is_main_guard(each.test))
        conditions = tuple(each.lineno for each in islice(ifs, MOST_CONDITIONS))[::-1]
        for pieces in _literal_lines(_printed_pieces(node)):
            if len(pieces) <= MOST_PIECES:
                yield Printing(
                    file=source.name,
                    line=node.lineno,
                    pieces=pieces,
                    values=values,
                    conditions=conditions,
                )


def _is_outside(visit: Visit[ast.AST]) -> bool:
    """Whether it is run as the file is loaded, outside functions and classes."""
    scope = visit.scope
    while scope.kind is ScopeKind.COMPREHENSION and scope.outer is not None:
        scope = scope.outer
    return scope.kind is ScopeKind.MODULE


def _assignments(index: Index) -> dict[str, dict[int, set[str]]]:
    """By name the lines outside functions that give it a value, each with the names it uses."""
    assigned: dict[str, dict[int, set[str]]] = {}
    visits: Iterator[Visit[ast.stmt | ast.expr]] = index.of(*_ASSIGNING)
    for node in (visit.node for visit in visits if _is_outside(visit)):
        targets: Sequence[ast.AST] = ()
        match node:
            case ast.Assign():
                targets = node.targets
            case ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.NamedExpr():
                targets = [node.target]
            case ast.Call(func=ast.Attribute(value=value)):
                # `names.append(name)` changes names; of `names.pop().strip()` the inner call does.
                base = base_of(value, _PARTS)
                targets = [base] if isinstance(base, ast.Name) else ()
        names = _names(node.iter if isinstance(node, ast.For) else node) if targets else ()
        for target in targets:
            base = base_of(target, _PARTS)  # `ages[name] = 3` changes ages
            bound = {name_bound(each) for each in walk(base)} - {""}
            for name in {base.id} if isinstance(base, ast.Name) else bound:
                assigned.setdefault(name, {}).setdefault(node.lineno, set()).update(names)
    return assigned


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in walk(node) if isinstance(each, ast.Name)}


def _values(call: ast.Call, assigned: dict[str, dict[int, set[str]]]) -> tuple[int, ...]:
    lines: set[int] = set()
    used: set[str] = set()
    pending = [name for argument in call.args for name in _names(argument)]
    while pending and len(lines) < MOST_VALUES:
        name = pending.pop()
        if name not in used:
            used.add(name)
            for line, names in assigned.get(name, {}).items():
                lines.add(line)
                pending += names
    return tuple(sorted(lines - {call.lineno})[:MOST_VALUES])


def _printed_pieces(call: ast.Call) -> Iterator[_Piece]:
    between: _Piece = " "
    for keyword in call.keywords:
        if keyword.arg == "sep":
            text = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
            between = text if isinstance(text, str) else None
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
    """The literal pieces of each line of the text, with anything between two of them."""
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
