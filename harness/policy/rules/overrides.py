"""Checks that a file does not bind the names of provided constants itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from harness.model.policy import PolicyGroup
from harness.policy.index import BINDERS, ScopeKind, Visit, names_bound
from harness.policy.rule import CheckedFile, FindingCollector, FindingKind, policy_rule

_KIND = FindingKind(
    name="overrides_provided", title="Replaces a provided constant", group=PolicyGroup.STRUCTURE
)


@policy_rule(70, _KIND)
def check_overrides(file: CheckedFile, collector: FindingCollector) -> None:
    """Bindings of provided names that hold for the whole file, and changes of their module."""
    index, provided = file.index, file.provided
    modules = frozenset(file.policy.provided_modules)
    for visit in index.of(*BINDERS):
        for name in _bound_for_the_file(visit):
            if name in provided and not _comes_from(visit, modules):
                message = (
                    f"{name} is provided; binding it here keeps other values of it "
                    "from reaching this file"
                )
                collector.add(_KIND, visit.node, message)
    for visit in index.of(ast.Attribute):
        node = visit.node
        if (
            isinstance(node, ast.Attribute)
            and not isinstance(node.ctx, ast.Load)
            and isinstance(node.value, ast.Name)
            and node.value.id in modules
            and node.attr in provided
        ):
            message = f"{node.attr} is provided; it may not be changed"
            collector.add(_KIND, node, message)


def _bound_for_the_file(visit: Visit) -> Iterator[str]:
    scope = visit.scope
    for name in names_bound(visit.node):
        if scope.kind is ScopeKind.MODULE or name in scope.declared_global:
            yield name


def _comes_from(visit: Visit, modules: frozenset[str]) -> bool:
    """`from a1_support import BOARD_SIZE`: the provided value itself."""
    holder = visit.holder
    if not isinstance(visit.node, ast.alias) or not isinstance(holder, ast.ImportFrom):
        return False
    return holder.module in modules and visit.node.asname in (None, visit.node.name)
