"""Defines the kinds of conditions under `structure:` in policy.yaml, and the parts of programs
that they apply to.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from harness.model.policy import Condition
from harness.policy.index import DEFINITIONS, walk
from harness.policy.rule import Breach, CheckedFile


class About(StrEnum):
    """The part of a program that a condition applies to."""

    ANY = "a file, class or function"
    FILE = "a file"
    FUNCTION = "a function"
    CLASS = "a class"


class Holds(StrEnum):
    """The type of value that a condition has in policy.yaml."""

    COUNT = "count"  # an integer: the maximum
    FLAG = "flag"  # true: required; false: forbidden
    NAMES = "names"  # a list of names


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPart:
    """A file, class or function that is checked, with its name and file."""

    name: str
    node: ast.AST
    file: CheckedFile

    @property
    def place(self) -> ast.AST | None:
        """Return the node that findings about the whole part refer to; None for a file."""
        if isinstance(self.node, ast.Module):
            return None
        return self.node

    def breach(self, problem: str) -> Breach:
        """Return a breach (violation) by the whole part."""
        return Breach(self.place, f"{self.name} {problem}")

    @property
    def definitions(self) -> list[tuple[str, ast.AST]]:
        """Return (name, node) of the functions and classes in this part, including the part
        itself.
        """
        found: list[tuple[str, ast.AST]] = []
        for node in walk(self.node):
            if not isinstance(node, DEFINITIONS):
                continue
            name = node.name
            if node is self.node:
                name = self.name
            found.append((name, node))
        return found


Check = Callable[[CheckedPart, Condition], Iterator[Breach]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionKind:
    """A condition's key under `structure:` in policy.yaml."""

    key: str
    holds: Holds
    description: str  # for editors
    about: About
    check: Check


CONDITIONS: dict[str, ConditionKind] = {}


def condition_kind(
    key: str, holds: Holds, description: str, *, about: About = About.ANY
) -> Callable[[Check], Check]:
    """Return a decorator that makes a condition from a function."""

    def register(check: Check) -> Check:
        kind = ConditionKind(
            key=key, holds=holds, description=description, about=about, check=check
        )
        CONDITIONS[key] = kind
        return check

    return register


def definition_named(tree: ast.Module, name: str) -> ast.AST | None:
    """Return the last function `f`, class `C` or method `C.f` with this name in a file.

    A lambda assigned to the name counts as a function.
    """
    node: ast.AST | None = tree
    for part in name.split("."):
        if not isinstance(node, ast.Module | ast.ClassDef):
            return None
        found: ast.AST | None = None
        for statement in node.body:
            found = _definition(statement, part) or found
        node = found
    return node


def _definition(statement: ast.stmt, name: str) -> ast.AST | None:
    """Return the function, class or lambda that a statement assigns to this name; None
    otherwise.
    """
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            if statement.name == name:
                return statement
        case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Lambda() as function):
            if bound == name:
                return function
    return None


def about(node: ast.AST) -> About:
    """Return whether a definition is a class or a function."""
    if isinstance(node, ast.ClassDef):
        return About.CLASS
    return About.FUNCTION


def is_name(node: ast.expr, name: str) -> bool:
    """Return whether an expression consists only of this name."""
    return isinstance(node, ast.Name) and node.id == name


def is_static(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether the method is a static method, without `self`."""
    return any(is_name(decorator, "staticmethod") for decorator in node.decorator_list)
