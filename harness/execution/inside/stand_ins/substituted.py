"""A submission's module with something of the course's in the place of some of its own names.

A function is bound anew directly after its `def`, so that the main guard sees it; a constant gets
the value of a provided module. Nothing of the reference is in here: a function's new value is a
proxy, which the scenario's process puts among the built-ins under `slot(name)`.
"""

from __future__ import annotations

import _ast

from ..modules import ModuleSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_AST_ONLY = 0x400
_BLOCKS = ("body", "orelse", "finalbody")
_KNOWN: dict[tuple[ModuleSource, tuple[tuple[str, str], ...]], ModuleSource] = {}


def slot(name: str) -> str:
    """The built-in name of a function's proxy, which no program can write."""
    return f"<course's {name}>"


def substituted(source: ModuleSource, names: tuple[tuple[str, str], ...]) -> ModuleSource:
    """The module with these names substituted; (name, provided module or empty) of each. A text
    that does not compile stays as it is: whoever imports it gets the error."""
    known = _KNOWN.get((source, names))
    if known is not None:
        return known
    changed = _KNOWN[source, names] = ModuleSource(source.filename, source.data, source.package)
    try:
        tree: Any = compile(source.data, source.filename, "exec", _AST_ONLY, dont_inherit=True)
        _substitute(tree.body, dict(names))
        changed.code = compile(tree, source.filename, "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
        changed.code = None
    return changed


def _substitute(body: list[Any], provided: dict[str, str]) -> None:
    """In a block of a module, and the blocks in it."""
    index = 0
    while index < len(body):
        statement = body[index]
        if isinstance(statement, _ast.FunctionDef) and provided.get(statement.name) == "":
            body.insert(index + 1, _binding(statement))
            index += 1
        elif isinstance(statement, _ast.Assign | _ast.AnnAssign):
            module = provided.get(_target(statement))
            if module and statement.value is not None:
                statement.value = _provided(module, _target(statement), statement)
        elif not isinstance(statement, _ast.FunctionDef | _ast.ClassDef | _ast.AsyncFunctionDef):
            for block in _BLOCKS:
                inner = getattr(statement, block, None)
                if type(inner) is list:
                    _substitute(inner, provided)
        index += 1


def _target(statement: Any) -> str:
    targets = statement.targets if isinstance(statement, _ast.Assign) else [statement.target]
    only = targets[0] if len(targets) == 1 else None
    return only.id if isinstance(only, _ast.Name) else ""


def _binding(function: Any) -> Any:
    place = {"lineno": function.lineno, "col_offset": function.col_offset}
    target = _ast.Name(id=function.name, ctx=_ast.Store(), **place)
    proxy = _ast.Name(id=slot(function.name), ctx=_ast.Load(), **place)
    return _ast.Assign(targets=[target], value=proxy, **place)


def _provided(module: str, name: str, statement: Any) -> Any:
    place = {"lineno": statement.lineno, "col_offset": statement.col_offset}
    importing = _ast.Name(id="__import__", ctx=_ast.Load(), **place)
    asked = _ast.Constant(value=module, **place)
    imported = _ast.Call(func=importing, args=[asked], keywords=[], **place)
    return _ast.Attribute(value=imported, attr=name, ctx=_ast.Load(), **place)
