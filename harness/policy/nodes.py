"""Walking a syntax tree that is walked many times: what a node holds is looked up once."""

from __future__ import annotations

import ast

_KEPT = "_held"  # on the node itself, so that it goes with its tree


def children(node: ast.AST) -> tuple[ast.AST, ...]:
    """The nodes that a node holds, as `ast.iter_child_nodes` gives them, but for `Load` and its
    kin."""
    kept: tuple[ast.AST, ...] | None = node.__dict__.get(_KEPT)
    if kept is not None:
        return kept
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [part for part in value if isinstance(part, ast.AST)]
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
            found.append(value)
    kept = tuple(found)
    node.__dict__[_KEPT] = kept
    return kept


def walk(node: ast.AST) -> list[ast.AST]:
    """The node and all below it, in the order of `ast.walk`."""
    found = [node]
    for each in found:
        found += children(each)
    return found
