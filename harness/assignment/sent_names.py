"""Finds the methods and operators that a course test may use on the program's objects: those that
the reference's classes define.
"""

from __future__ import annotations

import ast
import builtins
import collections
import collections.abc
from collections.abc import Iterable, Iterator

from harness.model.assignment import SentNames, SourceFile
from harness.model.stimulus import statements

_ORDERINGS = ("__lt__", "__le__", "__gt__", "__ge__")
# Bases without methods that take plain values.
_PLAIN_BASES = frozenset(
    "ABC ABCMeta Enum Exception Flag Generic Protocol object type".split()  # noqa: SIM905
)
_AS_BUILTINS = {"NamedTuple": tuple, "IntEnum": int, "StrEnum": str, "IntFlag": int}


def sent_names(files: Iterable[SourceFile]) -> SentNames:
    """Return these names for a reference and the files that the course provides."""
    top_level: set[str] = set()
    classes: list[ast.ClassDef] = []
    for file in files:
        body = list(statements(file.data))
        top_level.update(_bound_in(body))
        module = ast.Module(body=body, type_ignores=[])
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                classes.append(node)
    modules = tuple(sorted(top_level))
    known = {node.name for node in classes}
    names: set[str] = set()
    for node in classes:
        names.update(_defined_by(node))
        for base in node.bases:
            inherited = _inherited(_last_name(base), known)
            if inherited is None:
                return SentNames(objects=None, modules=modules)
            names.update(inherited)
    objects = tuple(sorted(names))
    return SentNames(objects=objects, modules=modules)


def _bound_in(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the names that statements define: functions, classes, variables and imports."""
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield node.name
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
            elif isinstance(node, ast.alias):
                name = node.asname or node.name
                top, _, _ = name.partition(".")
                yield top


def _defined_by(node: ast.ClassDef) -> Iterator[str]:
    """Yield the attributes that a class and its methods define."""
    yield from _bound_in(node.body)
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            yield part.attr
    for decorator in node.decorator_list:
        is_ordered = "order=True" in ast.unparse(decorator)
        if is_ordered or _last_name(decorator) == "total_ordering":
            yield from _ORDERINGS


def _inherited(base: str, known: set[str]) -> Iterable[str] | None:
    """Return the names that a class inherits from a base; None if the base is unknown."""
    if base in known or base in _PLAIN_BASES:
        return ()
    kinds: list[object] = [_AS_BUILTINS.get(base)]
    for module in _MODULES:
        kinds.append(vars(module).get(base))
    for kind in kinds:
        if isinstance(kind, type):
            is_exception = issubclass(kind, BaseException)
            return () if is_exception else dir(kind)
    return None


_MODULES = (builtins, collections, collections.abc)


def _last_name(node: ast.expr) -> str:
    """Return `c` for `c`, `a.b.c`, `c(…)` and `c[…]`."""
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    if isinstance(node, ast.Subscript):
        return _last_name(node.value)
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    return ""
