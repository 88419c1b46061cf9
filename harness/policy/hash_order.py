"""Places at which a program shows the order of a set, or a hash.

Both depend on the seed of text hashes, which is another one at each start of Python. This is a
guess by spellings: its findings are run again under other seeds, and only a difference counts.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence

from harness.policy.index import children, walk

Place = tuple[int, int, str]  # the line (1-based), the column, and the text there
_ORDER = "the order of a set"
_HASH = "hash()"
_MAKERS = frozenset({"set", "frozenset"})
_TYPES = frozenset({"set", "frozenset", "Set", "FrozenSet", "AbstractSet", "MutableSet"})
_METHODS = frozenset(
    {"copy", "difference", "intersection", "symmetric_difference", "union", "keys"}
)
# These take a set, or a list made from one, and give the same in every order.
_ORDER_FREE = frozenset(
    {"Counter", "all", "any", "frozenset", "len", "max", "min", "set", "sorted", "sum"}
)
_IN_ORDER = frozenset(
    {
        *("choice", "choices", "deque", "enumerate", "extend", "filter", "format", "iter", "join"),
        *("list", "map", "next", "print", "repr", "sample", "str", "tuple", "writelines", "zip"),
    }
)
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.DictComp)
_OPERATORS = (ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor)


def hash_order(tree: ast.Module) -> Iterator[Place]:
    """Yield the places of a file at which the order of a set, or a hash, becomes visible."""
    nodes = walk(tree)
    sets = _Sets(nodes)
    parents = {id(child): node for node in nodes for child in children(node)}
    hides_hash = "hash" in {_bound(node) for node in nodes}
    for node in nodes:
        if sets.is_shown_by(node) and not _is_order_free(node, parents):
            yield getattr(node, "lineno", 1), getattr(node, "col_offset", 0), _ORDER
        if not isinstance(node, ast.Name) or node.id != "hash" or hides_hash:
            continue
        if not _is_in_a_hash_method(node, parents):
            yield node.lineno, node.col_offset, _HASH


class _Sets:
    """The names, attributes and functions of a file that are sets, as far as its text tells."""

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        self._names: set[str] = set()
        count = -1
        while count < len(self._names):  # `a = set()`, then `b = a`
            count = len(self._names)
            for node in nodes:
                self._learn(node)

    def _learn(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value) if self.is_set(value):
                self._names |= {_name(target) for target in targets}
            case ast.AnnAssign(target=target, annotation=annotation):
                if _is_set_type(annotation):
                    self._names.add(_name(target))
            case ast.NamedExpr(target=target, value=value) if self.is_set(value):
                self._names.add(target.id)
            case ast.arg(arg=name, annotation=ast.expr() as annotation):
                if _is_set_type(annotation):
                    self._names.add(name)
            case ast.FunctionDef(name=name, returns=ast.expr() as annotation):
                if _is_set_type(annotation):
                    self._names.add(f"{name}()")
            case ast.FunctionDef(name=name):
                returned = [each.value for each in walk(node) if isinstance(each, ast.Return)]
                if any(value is not None and self.is_set(value) for value in returned):
                    self._names.add(f"{name}()")
        self._names.discard("")

    def is_set(self, node: ast.AST) -> bool:
        """Whether the expression is a set of more than numbers."""
        match node:
            case ast.Set(elts=elements):
                return not all(_is_number(each) for each in elements)
            case ast.SetComp():
                return True
            case ast.Call(func=ast.Name(id=name)):
                return name in _MAKERS or f"{name}()" in self._names
            case ast.Call(func=ast.Attribute(value=value, attr=name)):
                return f"{name}()" in self._names or (name in _METHODS and self.is_set(value))
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
                return self.is_set(left) or self.is_set(right)
            case ast.IfExp(body=body, orelse=other):
                return self.is_set(body) or self.is_set(other)
        return _name(node) in self._names

    def is_shown_by(self, node: ast.AST) -> bool:
        """Whether the node takes the members of a set one after another."""
        match node:
            case ast.For(iter=iterated):
                return self.is_set(iterated)
            case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
                return any(self.is_set(each.iter) for each in node.generators)
            case ast.FormattedValue(value=value) | ast.Starred(value=value):
                return self.is_set(value)
            case ast.YieldFrom(value=value):
                return self.is_set(value)
            case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod(), right=right):
                parts = right.elts if isinstance(right, ast.Tuple) else [right]
                return any(self.is_set(part) for part in parts)
            case ast.Call(func=ast.Attribute(value=value, attr="pop"), args=[]):
                return self.is_set(value)
            case ast.Call(func=func, args=arguments) if _last_name(func) in _IN_ORDER:
                return any(self.is_set(argument) for argument in arguments)
        return False


def _is_order_free(node: ast.AST, parents: Mapping[int, ast.AST]) -> bool:
    """Whether the node's value goes to a function that gives the same in every order."""
    is_made = isinstance(node, (*_COMPREHENSIONS, ast.Call))
    parent = parents.get(id(node))
    return is_made and isinstance(parent, ast.Call) and _last_name(parent.func) in _ORDER_FREE


def _is_in_a_hash_method(node: ast.AST, parents: Mapping[int, ast.AST]) -> bool:
    above = parents.get(id(node))
    while above is not None:
        if isinstance(above, ast.FunctionDef) and above.name == "__hash__":
            return True
        above = parents.get(id(above))
    return False


def _bound(node: ast.AST) -> str:
    """Return the name that the node gives a value; "" for any other node."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.FunctionDef(name=name):
            return name
    return ""


def _is_set_type(annotation: ast.expr) -> bool:
    """Whether this is `set[str]`, `Set`, `typing.Set[str]` or a union with one; `set[int]` is not:
    hashes of numbers have no seed."""
    if isinstance(annotation, ast.BinOp):
        return _is_set_type(annotation.left) or _is_set_type(annotation.right)
    if isinstance(annotation, ast.Subscript):
        of_numbers = isinstance(annotation.slice, ast.Name) and annotation.slice.id in _NUMBERS
        return not of_numbers and _is_set_type(annotation.value)
    return _last_name(annotation) in _TYPES


_NUMBERS = frozenset({"bool", "complex", "float", "int"})


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float | complex)


def _name(node: ast.AST) -> str:
    """Return how a name or an attribute is known: `seen`, `.seen`; "" for anything else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return f".{name}"
    return ""


def _last_name(node: ast.AST) -> str:
    return _name(node).removeprefix(".")
