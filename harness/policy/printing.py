"""What the code outside functions prints, read from its text: the literal parts of each `print` and
`input`, the statements that give the values between them, and the conditions that decide on it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from harness.model.policy import Printing
from harness.policy.reading import Source
from harness.policy.rules.structure import is_main_guard
from harness.policy.survey import FUNCTIONS, children, names_bound, walk

MOST_PRINTINGS = 200
MOST_VALUES = 100  # statements that give the values of one of them
MOST_PIECES = 50
MOST_CONDITIONS = 50
_DEFINITIONS = (*FUNCTIONS, ast.ClassDef, ast.Lambda)
_PERCENT = re.compile(r"%[-#0 +]?[0-9*]*(?:\.[0-9*]+)?[a-zA-Z]")
_BRACES = re.compile(r"\{[^{}]*\}")

_Piece = str | None  # None: a value, which may be any text


def printings_of(source: Source) -> tuple[Printing, ...]:
    """Those of a file, one for each line of text."""
    outside = _outside_functions(source.tree)
    given = _given([node for node, _ in outside])
    found: list[Printing] = []
    for node, conditions in outside:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id not in {"print", "input"} or len(found) >= MOST_PRINTINGS:
            continue
        whole = Printing(
            file=source.name,
            line=node.lineno,
            pieces=(),
            values=_values(node, given),
            conditions=conditions,
        )
        lines = (pieces for pieces in _lines(_shown(node)) if len(pieces) <= MOST_PIECES)
        found.extend(replace(whole, pieces=pieces) for pieces in lines)
    return tuple(found[:MOST_PRINTINGS])


def _outside_functions(tree: ast.AST) -> list[tuple[ast.AST, tuple[int, ...]]]:
    """Each node, and the lines of the conditions around it in the same loop."""
    found: list[tuple[ast.AST, tuple[int, ...]]] = [(tree, ())]
    for node, around in found:
        conditions = () if isinstance(node, ast.For | ast.While) else around
        if isinstance(node, ast.If) and not is_main_guard(node.test):
            conditions = (*around, node.lineno)[-MOST_CONDITIONS:]
        inside = (each for each in children(node) if not isinstance(each, _DEFINITIONS))
        found += ((each, conditions) for each in inside)
    return found


def _given(outside: list[ast.AST]) -> dict[str, dict[int, set[str]]]:
    """By name the statements that give it a value, by their lines, with the names they use."""
    found: dict[str, dict[int, set[str]]] = {}
    for node in outside:
        targets: list[ast.AST] = []
        if isinstance(node, ast.Assign):
            targets = [*node.targets]
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For | ast.NamedExpr):
            targets = [node.target]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            # `names.append(name)` changes names; of `names.pop().strip()` the inner call does.
            base = _base(node.func.value)
            targets = [base] if isinstance(base, ast.Name) else []
        if not targets or not isinstance(node, ast.stmt | ast.expr):
            continue
        names = _names(node.iter if isinstance(node, ast.For) else node)
        for target in targets:
            base = _base(target)  # `ages[name] = 3` changes ages
            for name in {base.id} if isinstance(base, ast.Name) else _bound(base):
                found.setdefault(name, {}).setdefault(node.lineno, set()).update(names)
    return found


def _base(node: ast.AST) -> ast.AST:
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in walk(node) if isinstance(each, ast.Name)}


def _bound(target: ast.AST) -> set[str]:
    return {name for each in walk(target) for name in names_bound(each)}


def _values(call: ast.Call, given: dict[str, dict[int, set[str]]]) -> tuple[int, ...]:
    found: set[int] = set()
    seen: set[str] = set()
    left = [name for argument in call.args for name in _names(argument)]
    while left and len(found) < MOST_VALUES:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        for line, names in given.get(name, {}).items():
            found.add(line)
            left += names
    return tuple(sorted(found - {call.lineno})[:MOST_VALUES])


def _shown(call: ast.Call) -> Iterator[_Piece]:
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
    left: list[ast.expr] = [expression]
    while left:
        node = left.pop()
        if isinstance(node, ast.Constant):
            yield str(node.value)
        elif isinstance(node, ast.JoinedStr):
            left += reversed(node.values)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left += (node.right, node.left)
        elif (pattern := _filled_in(node)) is not None:
            yield from pattern
        else:
            yield None


def _filled_in(node: ast.expr) -> list[_Piece] | None:
    """Of `"… %d" % value` and `"… {}".format(value)`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        text, gap = node.left, _PERCENT
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr != "format":
            return None
        text, gap = node.func.value, _BRACES
    else:
        return None
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return None
    found: list[_Piece] = []
    for part in gap.split(text.value):
        found += [part, None]
    return found[:-1]


def _lines(shown: Iterator[_Piece]) -> Iterator[tuple[str, ...]]:
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
