"""The kinds of conditions under `structure:`, and the parts of programs that they are about."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from harness.model.policy import Condition
from harness.policy.index import DEFINITIONS, walk
from harness.policy.rule import Breach, CheckedFile


class About(StrEnum):
    """The parts of a program that a condition may be about."""

    ANY = "a file, class or function"
    FILE = "a file"
    FUNCTION = "a function"
    CLASS = "a class"


class Holds(StrEnum):
    """The kind of value that a condition takes in policy.yaml."""

    COUNT = "count"  # a whole number: the most there may be
    FLAG = "flag"  # true: there must be one; false: there must be none
    NAMES = "names"  # a list of names


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPart:
    """A file, class or function under its name, with the file that it is in."""

    name: str
    node: ast.AST
    file: CheckedFile

    @property
    def place(self) -> ast.AST | None:
        """The node that findings about the whole part point at; None for a file."""
        if isinstance(self.node, ast.Module):
            return None
        return self.node

    def breach(self, problem: str) -> Breach:
        """Return a breach by the whole part, which the problem is said of."""
        return Breach(self.place, f"{self.name} {problem}")

    @property
    def definitions(self) -> list[tuple[str, ast.AST]]:
        """The functions and classes in it, also itself if it is one, under their names."""
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
    """A key under `structure:`."""

    key: str
    holds: Holds
    description: str  # for editors
    about: About
    check: Check


CONDITIONS: dict[str, ConditionKind] = {}


def condition_kind(
    key: str, holds: Holds, description: str, *, about: About = About.ANY
) -> Callable[[Check], Check]:
    """Make a condition of the function below."""

    def register(check: Check) -> Check:
        kind = ConditionKind(
            key=key, holds=holds, description=description, about=about, check=check
        )
        CONDITIONS[key] = kind
        return check

    return register


def definition_named(tree: ast.Module, name: str) -> ast.AST | None:
    """Return the function `f`, class `C` or method `C.f` of a file, the last one of this name.

    The function may also be a lambda that is assigned to the name.
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
    """Return the function, class or lambda that a statement binds to this name."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            if statement.name == name:
                return statement
        case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Lambda() as function):
            if bound == name:
                return function
    return None


def about(node: ast.AST) -> About:
    """Return the kind of part that a definition is."""
    if isinstance(node, ast.ClassDef):
        return About.CLASS
    return About.FUNCTION


def is_name(node: ast.expr, name: str) -> bool:
    """Return whether an expression is only this name."""
    return isinstance(node, ast.Name) and node.id == name


def is_static(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a method has no `self`."""
    return any(is_name(decorator, "staticmethod") for decorator in node.decorator_list)
