"""Conditions on classes: their bases, and the names of their attributes and methods."""

import ast
from collections.abc import Iterator

from harness.model.policy import Condition
from harness.policy.condition import (
    About,
    CheckedPart,
    Holds,
    condition_kind,
    definition_named,
    is_name,
    is_static,
)
from harness.policy.index import FUNCTIONS, is_stored, walk
from harness.policy.rule import Breach, short


@condition_kind(
    "inherits",
    Holds.NAMES,
    "The classes that a class derives from, directly or not.",
    about=About.CLASS,
)
def _check_inherits(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    bases = _bases(part.node, part.file.index.tree)
    for name in condition.names:
        if name not in bases:
            yield part.breach(f"does not inherit from {short(name)}")


def _bases(node: ast.AST, tree: ast.Module) -> set[str]:
    """Return the names of the base classes, direct and indirect, as far as the file shows them."""
    names: set[str] = set()
    pending = [node]
    while pending:
        holder = pending.pop()
        if not isinstance(holder, ast.ClassDef):
            continue
        for base in holder.bases:
            _, _, name = ast.unparse(base).rpartition(".")
            other = definition_named(tree, name)
            if other is not None and name not in names:
                pending.append(other)
            names.add(name)
    return names


@condition_kind(
    "public",
    Holds.NAMES,
    "The only attributes and methods of a class without underscore.",
    about=About.CLASS,
)
def _check_public(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    for name, node in _members(part.node):
        if not name.startswith("_") and name not in condition.names:
            yield Breach(node, f"{part.name}.{short(name)} is public; begin its name with _")


@condition_kind(
    "private",
    Holds.NAMES,
    "Attributes and methods of a class that begin with two underscores.",
    about=About.CLASS,
)
def _check_private(part: CheckedPart, condition: Condition) -> Iterator[Breach]:
    members = list(_members(part.node))
    for written in condition.names:
        name = written.lstrip("_")
        private = f"__{name}"
        if not any(member == private for member, _ in members):
            yield part.breach(f"has no private {short(private)}")
        for member, node in members:
            if member in (name, f"_{name}"):
                yield Breach(node, f"{part.name}.{short(member)} must be private: {private}")


def _members(holder: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield (name, node) for a class's methods and attributes, including those assigned in its
    methods.
    """
    body: list[ast.stmt] = []
    if isinstance(holder, ast.ClassDef):
        body = holder.body
    for statement in body:
        if isinstance(statement, FUNCTIONS):
            yield statement.name, statement
            yield from _attributes_set(statement)
            continue
        for node in walk(statement):
            if is_stored(node):
                yield node.id, node


def _attributes_set(
    method: ast.FunctionDef | ast.AsyncFunctionDef,
) -> Iterator[tuple[str, ast.AST]]:
    """Yield (name, node) for the attributes of `self` that a method assigns."""
    parameters = [*method.args.posonlyargs, *method.args.args]
    if not parameters or is_static(method):
        return
    instance = parameters[0].arg
    for node in walk(method):
        match node:
            case ast.Attribute(value=value, attr=name, ctx=ast.Store()):
                if is_name(value, instance):
                    yield name, node
