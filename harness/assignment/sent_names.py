"""Finds the methods and operators that a course test may use on the program's objects: those that
the reference's classes define.
"""

from __future__ import annotations

import ast
import builtins
import collections
import collections.abc
import importlib
import sys
from collections.abc import Iterable, Iterator, Sequence

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


def _bound_in(body: Sequence[ast.AST]) -> Iterator[str]:
    """Yield the names that statements bind: functions, classes, variables and imports. Variables of
    functions are not among them, unless a function declares them `global`."""
    for node in body:
        if isinstance(node, _WITH_OWN_NAMES):
            yield node.name
            yield from _made_global_in(node)
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            yield from _names_of_library(node.module or "")
        yield from _bound_in(list(ast.iter_child_nodes(node)))


_WITH_OWN_NAMES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _names_of_library(module: str) -> list[str]:
    """Return the public names of a module of the standard library; none of any other."""
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return []
    try:
        found = importlib.import_module(module)
    except ImportError:  # such as `tkinter` of a Python without windows
        return []
    return [name for name in dir(found) if not name.startswith("_")]


def _made_global_in(definition: ast.AST) -> Iterator[str]:
    for node in ast.walk(definition):
        if isinstance(node, ast.Global):
            yield from node.names


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
