"""Analyse the expressions of a test without running them.

They are either values that the test states, such as `[1, 2]`, or calls of the program under test.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from harness.assignment.known_items import range_of
from harness.common.escaping import shorten

_MAX_VALUE = 4_000  # characters of a value as Python writes it
_MAX_REPEATED = 1_000  # of a text or list that is repeated, and of numbers in a range
_MAX_SHOWN = 40  # characters of an expression in a reason
_CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau}
_OPERATORS: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
# They ask the program's object for its type, or compare with it: the program could give any answer.
_NOT_ASKED = (
    ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda, ast.NamedExpr, ast.GeneratorExp, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.JoinedStr, ast.Await, ast.Yield, ast.YieldFrom,
)  # fmt: skip
_BUILTINS = frozenset((
    "abs", "bool", "bytes", "chr", "complex", "dict", "divmod", "enumerate", "float", "frozenset",
    "int", "iter", "len", "list", "max", "min", "next", "ord", "range", "repr", "reversed", "round",
    "set", "sorted", "str", "sum", "tuple", "zip",
))  # fmt: skip
_SCALARS = (int, float, str, bool, bytes, complex, type(None))


class NotRecordedError(Exception):
    """Raised if a test cannot become a scenario. `str()` gives the reason."""


@dataclass(slots=True)
class TestScope:
    """The meanings of names in a test: names of the program, known values, and variables."""

    modules: set[str] = field(default_factory=set)  # that are the program's
    program: dict[str, str] = field(default_factory=dict)  # names here, and in the program
    literals: dict[str, object] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)  # bound by steps of the scenario

    def copy(self) -> TestScope:
        return TestScope(
            modules=set(self.modules),
            program=dict(self.program),
            literals=dict(self.literals),
            variables=set(self.variables),
        )

    def forget(self, name: str) -> None:
        """Remove a name's known meaning, because the test assigns another value to the name."""
        self.modules.discard(name)
        self.program.pop(name, None)
        self.literals.pop(name, None)
        self.variables.discard(name)


def value_of(node: ast.expr, literals: Mapping[str, object]) -> object:
    """Return the value of an expression that has no names except those in `literals`.

    Raise NotRecordedError for any other expression.
    """
    value = _value(node, literals)
    if not _is_plain(value):
        raise NotRecordedError(f"{shortened(node)} is not a plain value")
    return value


def _is_plain(value: object) -> bool:
    """Return whether the value can be written as a short Python literal."""
    try:
        text = repr(value)
        is_literal = ast.literal_eval(text) == value or value == set()
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return False
    return is_literal and len(text) <= _MAX_VALUE


def _value(node: ast.expr, literals: Mapping[str, object]) -> object:
    match node:
        case ast.Name(id=name) if name in literals:
            return literals[name]
        case ast.BinOp():
            return _computed(node, literals)
        case ast.UnaryOp(op=ast.USub()):
            value = _value(node.operand, literals)
            if isinstance(value, int | float):
                return -value
        case ast.Attribute(value=ast.Name(id="math"), attr=name) if name in _CONSTANTS:
            return _CONSTANTS[name]
        case ast.List() | ast.Tuple() | ast.Set():
            parts = [_value(part, literals) for part in node.elts]
            return _collected(node, parts)
        case ast.Dict() if None not in node.keys:
            return _dictionary(node, literals)
        case ast.Call(func=ast.Name(id="set"), args=[], keywords=[]):
            return set()
        case ast.Constant():
            return node.value
    raise NotRecordedError(f"{shortened(node)} is not a plain value")


def _dictionary(node: ast.Dict, literals: Mapping[str, object]) -> dict[object, object]:
    keys = [_value(key, literals) for key in node.keys if key is not None]
    values = [_value(value, literals) for value in node.values]
    return dict(zip(keys, values, strict=True))


def _collected(node: ast.List | ast.Tuple | ast.Set, parts: list[object]) -> object:
    match node:
        case ast.List():
            return parts
        case ast.Tuple():
            return tuple(parts)
        case ast.Set():
            return set(parts)


def _computed(node: ast.BinOp, literals: Mapping[str, object]) -> object:
    left = _value(node.left, literals)
    right = _value(node.right, literals)
    compute = _OPERATORS.get(type(node.op))
    is_allowed = compute is not None
    if isinstance(node.op, ast.Mult) and not isinstance(left, int | float):
        is_allowed = isinstance(right, int) and right <= _MAX_REPEATED
    if isinstance(node.op, ast.Mod) and isinstance(left, str):
        is_allowed = False
    if compute is None or not is_allowed:
        raise NotRecordedError(f"{shortened(node)} is computed")
    try:
        return compute(left, right)
    except (TypeError, ArithmeticError, ValueError):
        raise NotRecordedError(f"{shortened(node)} is computed") from None


def items_of(node: ast.expr, literals: Mapping[str, object]) -> list[object]:
    """Return the values that a `for` loop goes through.

    Raise NotRecordedError if they are not known values.
    """
    items: object = None
    match node:
        case ast.Call(func=ast.Name(id="range"), args=args, keywords=[]):
            bounds = [value_of(arg, literals) for arg in args]
            items = range_of(bounds, _MAX_REPEATED)
        case ast.Call(func=ast.Attribute(value=table, attr="items"), args=[], keywords=[]):
            value = value_of(table, literals)
            if isinstance(value, dict):
                items = tuple(value.items())
        case _:
            items = value_of(node, literals)
    if not isinstance(items, list | tuple | str | range):
        raise NotRecordedError(f"a loop over {shortened(node)}")
    return list(items)


class AskedOfProgram(ast.NodeTransformer):
    """Rewrites an expression so that it has only names that a scenario knows.

    Afterwards, `uses_program` says whether the expression uses the program, and `needed` lists the
    known values that must be assigned first, by name.
    """

    def __init__(self, scope: TestScope) -> None:
        self._scope = scope
        self.uses_program = False
        self.needed: dict[str, None] = {}

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, _NOT_ASKED):
            raise NotRecordedError(f"{shortened(node)} is computed by the test")
        visited: ast.AST = super().visit(node)
        return visited

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        base = node.value
        if isinstance(base, ast.Name) and base.id in self._scope.modules:
            return self._of_program(node.attr)
        if node.attr.startswith("__"):
            raise NotRecordedError(f"it uses {node.attr}")
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        name, scope = node.id, self._scope
        if name in scope.variables:
            self.uses_program = True
            return node
        if name in scope.literals:
            return self._of_value(node, scope.literals[name])
        if name in scope.program:
            return self._of_program(scope.program[name])
        if name in _BUILTINS:
            return node
        raise NotRecordedError(f"it uses {name}")

    def _of_value(self, node: ast.Name, value: object) -> ast.AST:
        if isinstance(value, _SCALARS):
            return ast.Constant(value)
        self.needed[node.id] = None
        self.uses_program = True  # the program may have changed it
        return node

    def _of_program(self, name: str) -> ast.Name:
        if name.startswith("_"):
            raise NotRecordedError(f"it uses {name}, which is private")
        self.uses_program = True
        return ast.Name(name, ast.Load())


def shortened(node: ast.AST) -> str:
    """Return the beginning of the expression's source, for messages."""
    text = " ".join(ast.unparse(node).split())
    return shorten(text, _MAX_SHOWN)
