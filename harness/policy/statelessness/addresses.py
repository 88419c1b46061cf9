"""Whether a program may see where an object lies in memory.

The text of a function, an iterator or an instance without a `__repr__` holds its address, and a set
orders by it what has no `__hash__` of its own: instances, exceptions, and floats that are NaN.
Which address is free next depends on what ran before. So where a program makes texts or sets, such
objects must be used up where they are made: called, iterated over, or taken as a key. What makes
them must be called by its name. Everything is guessed from above.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeGuard

from harness.policy.nodes import children, walk
from harness.policy.statelessness import allowed
from harness.policy.statelessness.bindings import Module, bound_in, parameters

_TEXTS = frozenset({"str", "repr", "ascii", "format"})
_SETS = frozenset({"set", "frozenset"})
_MAKERS = frozenset({"iter", "map", "filter", "zip", "enumerate", "reversed", "object"})
_USE_FIRST = frozenset({"list", "tuple", "dict", "sorted", "sum", "any", "all", "next", "len"})
_USE_ALL = _SETS | _MAKERS - {"object"}
_METHODS_THAT_USE = frozenset(
    {"join", "extend", "update", "union", "intersection", "difference", "symmetric_difference"}
)
_VIEWS = frozenset({"keys", "items"})  # with `|`, `&`, `-` and `^` they make sets
_USE_VIEWS = _USE_ALL | _USE_FIRST | {"max", "min", "print"}
_LOOKS = (
    ast.For, ast.comprehension, ast.Compare, ast.Starred, ast.Expr, ast.Attribute, ast.Subscript,
)  # fmt: skip
_MAKE_FLOATS = frozenset({"float", "complex"})
_RANDOM_FLOATS = frozenset({"random", "uniform", "gauss", "triangular", "*"})


def sees_an_address(modules: Mapping[str, Module]) -> tuple[Module, ast.AST] | None:
    """The first object that might show where it lies; None where there is none, or no way to."""
    trees = [module.tree for module in modules.values()]
    nodes = [node for tree in trees for node in walk(tree)]
    pairs = ((part, node) for node in nodes for part in children(node))
    sets = any(_makes_a_set(*pair) for pair in pairs)
    if not sets and not any(map(_makes_a_text, nodes)):
        return None
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    methods = {part.name for each in classes.values() for part in each.body if _is_def(part)}
    generators = {node.name for node in nodes if _is_def(node) and _yields(node)}
    found = _Finder(
        calls=_MAKERS | generators | ({*allowed.EXCEPTIONS, *classes} if sets else set()),
        methods=(allowed.METHODS | methods) - allowed.DUNDER_METHODS,
        functions={name for node in nodes for name in _functions_named(node)} - methods,
        sets=sets,
    )
    for module in modules.values():
        for node in walk(module.tree):
            if isinstance(node, ast.ClassDef) and not _hides_its_address(node, classes):
                return module, node
        for node in found.shown(module.tree):
            return module, node
    return None


class _Finder:
    """Finds what makes an object that has an address and does not use it up at once: `calls` of
    these names, bound `methods`, `functions` by name (the program's body runs anew where it is what
    is run), lambdas, generators; where there are `sets`, also exceptions that are caught, and
    floats."""

    def __init__(
        self,
        *,
        calls: AbstractSet[str],
        methods: AbstractSet[str],
        functions: AbstractSet[str],
        sets: bool,
    ) -> None:
        self._calls = calls
        self._methods = methods
        self._functions = functions
        self._sets = sets

    def shown(self, tree: ast.Module) -> Iterator[ast.AST]:
        """Each such node."""
        pending: list[tuple[ast.AST, ast.AST, frozenset[str]]] = [(tree, tree, frozenset())]
        while pending:
            node, parent, local = pending.pop()
            if self._is_maker(node, local):
                if not _is_head(node, parent):
                    yield node
            elif self._has_an_address(node, local) and not _is_used_up(node, parent):
                yield node
            if _is_def(node):
                local |= {*parameters(node.args), *bound_in(node.body)}
                local -= {name for part in walk(node) for name in _functions_named(part)}
            pending += [(child, node, local) for child in _evaluated(node)]

    def _is_maker(self, node: ast.AST, local: AbstractSet[str]) -> bool:
        """Whether it is, as a value, what a call of makes such an object."""
        return (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id in self._calls - local
        )

    def _has_an_address(self, node: ast.AST, local: AbstractSet[str]) -> bool:
        if self._sets and (_may_be_a_float(node) or _catches(node)):
            return True
        if isinstance(node, ast.Call):
            return _name_of(node.func) in self._calls
        if isinstance(node, ast.Name):
            return isinstance(node.ctx, ast.Load) and node.id in self._functions - local
        if isinstance(node, ast.Attribute):
            return isinstance(node.ctx, ast.Load) and node.attr in self._methods
        return isinstance(node, ast.Lambda | ast.GeneratorExp)


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node but for those that only name types, which nothing is made of."""
    types: list[ast.AST | None] = []
    if isinstance(node, ast.ExceptHandler):
        types = [node.type]
    elif isinstance(node, ast.ClassDef):
        types = [*node.bases]
    elif isinstance(node, ast.arg | ast.AnnAssign):
        types = [node.annotation]
    elif isinstance(node, ast.FunctionDef):
        types = [node.returns]
    elif isinstance(node, ast.Compare):
        types = [side for side in (node.left, *node.comparators) if _names_types(side)]
    elif isinstance(node, ast.Call) and _name_of(node.func) in ("isinstance", "issubclass"):
        types = [*node.args[1:]]
    return (child for child in children(node) if child not in types)


def _names_types(node: ast.AST) -> bool:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return all(isinstance(part, ast.Name) for part in parts)


def _name_of(function: ast.AST) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_head(node: ast.AST, parent: ast.AST) -> bool:
    """Whether it is called, or raised, where it is named."""
    called = isinstance(parent, ast.Call) and parent.func is node
    return called or isinstance(parent, ast.Raise)


def _catches(node: ast.AST) -> bool:
    return isinstance(node, ast.ExceptHandler) and node.name is not None


def _may_be_a_float(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float | complex)
    if isinstance(node, ast.BinOp | ast.AugAssign):
        return isinstance(node.op, ast.Div | ast.Pow)
    if isinstance(node, ast.ImportFrom):
        random = any(alias.name in _RANDOM_FLOATS for alias in node.names)
        return node.module == "math" or (node.module == "random" and random)
    if isinstance(node, ast.Import):
        return any(alias.name == "math" for alias in node.names)
    if isinstance(node, ast.Attribute):
        return node.attr in _RANDOM_FLOATS
    return isinstance(node, ast.Name) and node.id in _MAKE_FLOATS


def _is_used_up(node: ast.AST, parent: ast.AST) -> bool:
    if isinstance(parent, ast.For | ast.comprehension):
        return node is parent.iter
    if isinstance(parent, ast.Assign):
        plain = ast.Name if isinstance(node, ast.Lambda) else ast.Tuple | ast.List
        return all(isinstance(target, plain) for target in parent.targets)
    if isinstance(parent, ast.Compare):
        return isinstance(parent.ops[-1], ast.In | ast.NotIn) and node is parent.comparators[-1]
    if isinstance(parent, ast.keyword):
        return parent.arg == "key"
    if isinstance(parent, ast.Call):
        return _is_used_up_by(node, parent)
    return isinstance(parent, ast.Starred | ast.YieldFrom | ast.Raise)


def _is_used_up_by(node: ast.AST, call: ast.Call) -> bool:
    head, first = call.func, call.args[:1] == [node]
    if head is node:
        return True
    if isinstance(head, ast.Attribute):
        return head.attr in _METHODS_THAT_USE
    if not isinstance(head, ast.Name):
        return False
    if head.id in ("min", "max"):
        return first and len(call.args) == 1
    return head.id in _USE_ALL or (first and head.id in _USE_FIRST)


def _makes_a_text(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return node.id in _TEXTS
    if isinstance(node, ast.BinOp | ast.AugAssign):
        value = node.right if isinstance(node, ast.BinOp) else node.value
        return isinstance(node.op, ast.Mod) and not isinstance(value, ast.Constant)
    if isinstance(node, ast.Attribute):
        return node.attr == "format"
    return isinstance(node, ast.FormattedValue) or (
        isinstance(node, ast.keyword) and node.arg in (None, "file")
    )


def _makes_a_set(node: ast.AST, parent: ast.AST) -> bool:
    if isinstance(node, ast.Set):
        constant = all(isinstance(item, ast.Constant) for item in node.elts)
        return not (constant and isinstance(parent, ast.Compare | ast.For | ast.comprehension))
    if isinstance(node, ast.Attribute) and node.attr in _VIEWS and isinstance(node.ctx, ast.Load):
        return not (_is_head(node, parent) or _looks_at_view(parent))
    if isinstance(node, ast.Call) and _name_of(node.func) in _VIEWS:
        return not _looks_at_view(parent)
    return isinstance(node, ast.SetComp) or (isinstance(node, ast.Name) and node.id in _SETS)


def _looks_at_view(parent: ast.AST) -> bool:
    """Whether what is done with a dictionary's view, or with an attribute that may be the method
    that gives one, makes no set of it."""
    if isinstance(parent, ast.Call):
        return isinstance(parent.func, ast.Name) and parent.func.id in _USE_VIEWS
    return isinstance(parent, _LOOKS)


def _hides_its_address(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Whether the class, or one that it builds on, says how its instances are shown."""
    if any(_is_def(part) and part.name == "__repr__" for part in node.body):
        return True
    bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
    return any(
        base in allowed.EXCEPTIONS
        or (base in classes and _hides_its_address(classes[base], classes))
        for base in bases
    )


def _functions_named(node: ast.AST) -> Iterator[str]:
    if _is_def(node):
        yield node.name
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _yields(function: ast.AST) -> bool:
    return any(isinstance(part, ast.Yield | ast.YieldFrom) for part in walk(function))


def _is_def(node: ast.AST) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef)
