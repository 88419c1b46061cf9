"""Whether a program may see where an object lies in memory.

The text of a function, an iterator or an instance without a `__repr__` holds its address, and a set
orders by it what has no `__hash__` of its own. Which address is free next depends on what ran
before. So where a program makes texts or sets, such objects must be used up where they are made:
called, iterated over, or taken as a key. Everything is guessed from above.
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


def sees_an_address(modules: Mapping[str, Module]) -> tuple[Module, ast.AST] | None:
    """The first object that might show where it lies; None where there is none, or no way to."""
    trees = [module.tree for module in modules.values()]
    nodes = [node for tree in trees for node in walk(tree)]
    sets = any(map(_makes_a_set, nodes))
    if not sets and not any(map(_makes_a_text, nodes)):
        return None
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    methods = {part.name for each in classes.values() for part in each.body if _is_def(part)}
    generators = {node.name for node in nodes if _is_def(node) and _yields(node)}
    found = _Finder(
        calls=_MAKERS | generators | ({*allowed.EXCEPTIONS, *classes} if sets else set()),
        methods=(allowed.METHODS | methods) - allowed.DUNDER_METHODS,
        functions={name for node in nodes for name in _functions_named(node)} - methods,
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
    is run), lambdas, generators."""

    def __init__(
        self, *, calls: AbstractSet[str], methods: AbstractSet[str], functions: AbstractSet[str]
    ) -> None:
        self._calls = calls
        self._methods = methods
        self._functions = functions

    def shown(self, tree: ast.Module) -> Iterator[ast.AST]:
        """Each such node."""
        pending: list[tuple[ast.AST, ast.AST, frozenset[str]]] = [(tree, tree, frozenset())]
        while pending:
            node, parent, local = pending.pop()
            if self._has_an_address(node, local) and not _is_used_up(node, parent):
                yield node
            if _is_def(node):
                local |= {*parameters(node.args), *bound_in(node.body)}
                local -= {name for part in walk(node) for name in _functions_named(part)}
            pending += [(child, node, local) for child in children(node)]

    def _has_an_address(self, node: ast.AST, local: AbstractSet[str]) -> bool:
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Name) and node.func.id in self._calls
        if isinstance(node, ast.Name):
            return isinstance(node.ctx, ast.Load) and node.id in self._functions - local
        if isinstance(node, ast.Attribute):
            return isinstance(node.ctx, ast.Load) and node.attr in self._methods
        return isinstance(node, ast.Lambda | ast.GeneratorExp)


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
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Mod) and not isinstance(node.right, ast.Constant)
    if isinstance(node, ast.Attribute):
        return node.attr == "format"
    return isinstance(node, ast.FormattedValue) or (
        isinstance(node, ast.keyword) and node.arg in (None, "file")
    )


def _makes_a_set(node: ast.AST) -> bool:
    if isinstance(node, ast.Set):
        return not all(isinstance(item, ast.Constant) for item in node.elts)
    return isinstance(node, ast.SetComp) or (isinstance(node, ast.Name) and node.id in _SETS)


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
