"""Finds places at which a program's output may depend on the order of a set, or on a hash.

Both depend on Python's random hash seed, which changes at every start. This is a guess from the
source: such programs are run again with other seeds, and only a real difference counts.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from harness.policy.index import children, walk

Place = tuple[int, int, str]  # line (from 1), column, source text
_ORDER = "the order of a set"
_HASH = "hash()"
_MAKERS = frozenset({"set", "frozenset"})
_TYPES = frozenset({"set", "frozenset", "Set", "FrozenSet", "AbstractSet", "MutableSet"})
_METHODS = frozenset(
    {"copy", "difference", "intersection", "symmetric_difference", "union", "keys"}
)
# These take a set, or a list made from one, and give the same in every order.
_ORDER_FREE = frozenset(
    "Counter all any frozenset len max min set sorted sum".split()  # noqa: SIM905
)
_IN_ORDER = frozenset(
    """
    choice choices deque enumerate extend filter format iter join list map next print repr sample
    str tuple writelines zip
    """.split()  # noqa: SIM905
)
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.DictComp)
_OPERATORS = (ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor)


def hash_order(tree: ast.Module) -> Iterator[Place]:
    """Yield the places in a file at which the order of a set, or a hash, becomes visible."""
    nodes = walk(tree)
    sets = _Sets(nodes)
    parents: dict[int, ast.AST] = {}
    for node in nodes:
        for child in children(node):
            parents[id(child)] = node
    hides_hash = "hash" in map(_bound, nodes)
    for node in nodes:
        if sets.is_shown_by(node) and not _is_order_free(node, parents):
            line = getattr(node, "lineno", 1)
            column = getattr(node, "col_offset", 0)
            yield line, column, _ORDER
        if hides_hash or not isinstance(node, ast.Name):
            continue
        if node.id == "hash" and not _is_in_a_hash_method(node, parents):
            yield node.lineno, node.col_offset, _HASH


class _Sets:
    """The names, attributes and functions in a file that are sets, as far as its source shows."""

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        self._names: set[str] = set()
        count = -1
        while count < len(self._names):  # `a = set()`, then `b = a`
            count = len(self._names)
            for node in nodes:
                self._learn(node)

    def _learn(self, node: ast.AST) -> None:
        match node:
            case ast.Assign():
                if self.is_set(node.value):
                    self._names.update(map(_name, node.targets))
            case ast.AnnAssign():
                if _is_set_type(node.annotation):
                    self._names.add(_name(node.target))
            case ast.NamedExpr():
                if self.is_set(node.value):
                    self._names.add(node.target.id)
            case ast.arg():
                if node.annotation is not None and _is_set_type(node.annotation):
                    self._names.add(node.arg)
            case ast.FunctionDef():
                if self._returns_set(node):
                    self._names.add(f"{node.name}()")
        self._names.discard("")

    def _returns_set(self, function: ast.FunctionDef) -> bool:
        """Return whether a function returns a set, judging by its type hint or, if it has none, by
        its `return` statements.
        """
        if function.returns is not None:
            return _is_set_type(function.returns)
        for node in walk(function):
            value = node.value if isinstance(node, ast.Return) else None
            if value is not None and self.is_set(value):
                return True
        return False

    def _any_is_set(self, expressions: Iterable[ast.AST]) -> bool:
        return any(map(self.is_set, expressions))

    def is_set(self, node: ast.AST) -> bool:
        """Return whether the expression is a set that may contain something other than numbers."""
        match node:
            case ast.Set():
                return not all(map(_is_number, node.elts))
            case ast.SetComp():
                return True
            case ast.Call(func=ast.Name(id=name)):
                return name in _MAKERS or f"{name}()" in self._names
            case ast.Call(func=ast.Attribute(value=value, attr=name)):
                if f"{name}()" in self._names:
                    return True
                return name in _METHODS and self.is_set(value)
            case ast.BinOp():
                sides = (node.left, node.right)
                return isinstance(node.op, _OPERATORS) and self._any_is_set(sides)
            case ast.IfExp():
                return self._any_is_set((node.body, node.orelse))
        return _name(node) in self._names

    def is_shown_by(self, node: ast.AST) -> bool:
        """Return whether the node goes through the items of a set in order."""
        match node:
            case ast.For():
                return self.is_set(node.iter)
            case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
                return self._any_is_set(generator.iter for generator in node.generators)
            case ast.FormattedValue() | ast.Starred() | ast.YieldFrom():
                return self.is_set(node.value)
            case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod(), right=right):
                if isinstance(right, ast.Tuple):
                    return self._any_is_set(right.elts)
                return self.is_set(right)
            case ast.Call(func=ast.Attribute(value=value, attr="pop"), args=[]):
                return self.is_set(value)
            case ast.Call():
                is_in_order = _last_name(node.func) in _IN_ORDER
                return is_in_order and self._any_is_set(node.args)
        return False


def _is_order_free(node: ast.AST, parents: Mapping[int, ast.AST]) -> bool:
    """Return whether the value is passed to a function whose result does not depend on the
    order.
    """
    if not isinstance(node, (*_COMPREHENSIONS, ast.Call)):
        return False
    parent = parents.get(id(node))
    return isinstance(parent, ast.Call) and _last_name(parent.func) in _ORDER_FREE


def _is_in_a_hash_method(node: ast.AST, parents: Mapping[int, ast.AST]) -> bool:
    above = parents.get(id(node))
    while above is not None:
        if isinstance(above, ast.FunctionDef) and above.name == "__hash__":
            return True
        above = parents.get(id(above))
    return False


def _bound(node: ast.AST) -> str:
    """Return the name that the node assigns; "" for other nodes."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.FunctionDef(name=name):
            return name
    return ""


def _is_set_type(annotation: ast.expr) -> bool:
    """Return whether an annotation means a set: `set[str]`, `Set`, `typing.Set[str]` or a union
    with one.

    `set[int]` does not count, because hashes of numbers do not depend on the seed.
    """
    if isinstance(annotation, ast.BinOp):
        sides = (annotation.left, annotation.right)
        return any(map(_is_set_type, sides))
    if isinstance(annotation, ast.Subscript):
        members = annotation.slice
        of_numbers = isinstance(members, ast.Name) and members.id in _NUMBERS
        return not of_numbers and _is_set_type(annotation.value)
    return _last_name(annotation) in _TYPES


_NUMBERS = frozenset({"bool", "complex", "float", "int"})


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float | complex)


def _name(node: ast.AST) -> str:
    """Return a name or attribute as a key: `seen`, `.seen`; "" for anything else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return f".{name}"
    return ""


def _last_name(node: ast.AST) -> str:
    return _name(node).removeprefix(".")
