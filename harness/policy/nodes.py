"""What the nodes of a syntax tree hold, which is looked up once, and which names they bind."""

from __future__ import annotations

import ast
from collections.abc import Iterator

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
BINDERS: tuple[type[ast.AST], ...] = (
    ast.Name,
    *FUNCTIONS,
    ast.ClassDef,
    ast.alias,
    ast.ExceptHandler,
    ast.MatchAs,
    ast.MatchStar,
    ast.MatchMapping,
)

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


def parameters(arguments: ast.arguments) -> Iterator[str]:
    """The names of all parameters of a function."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for argument in (*named, arguments.vararg, arguments.kwarg):
        if argument is not None:
            yield argument.arg


def bound_by(alias: ast.AST) -> str:
    """The name that one part of an import statement binds; "" for any other node."""
    if not isinstance(alias, ast.alias):
        return ""
    return alias.asname or alias.name.partition(".")[0]


def names_bound(node: ast.AST) -> Iterator[str]:
    """The names that this node by itself (not what it holds) binds in its scope."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Store):
            yield node.id
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.alias):
        if node.name != "*":
            yield bound_by(node)
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        if node.name:
            yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
