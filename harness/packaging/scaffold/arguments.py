"""Arguments to begin with, by the types that annotations name; several attempts, since what is
small may be too little. Pure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

ATTEMPTS = 4
_SMALL = {"int": "2", "float": "1.5", "str": '"a"', "bool": "True", "list": "[]", "dict": "{}"}
_LARGER = {
    "int": "5",
    "float": "2.5",
    "str": '"abc"',
    "bool": "False",
    "list": "[3, 1]",
    "dict": '{"a": 1}',
}
_OF_ANY_TYPE = ("2", "[3, 1]", '"abc"', '{"a": 1}')
_DEEPEST = 3  # objects in objects

Constructors = Mapping[str, ast.FunctionDef]


def listed_arguments(node: ast.FunctionDef, classes: Constructors, attempt: int) -> str:
    """Those that a function requires, as they stand between its brackets. `classes` has the
    `__init__` of each class that may be made, `attempt` counts from 0."""
    return ", ".join(_example(each.annotation, classes, attempt, 0) for each in _required(node))


def made(name: str, classes: Constructors, attempt: int, depth: int = 0) -> str:
    """The call that makes an object of this class."""
    arguments = _required(classes[name])[1:] if depth < _DEEPEST else []
    listed = (_example(each.annotation, classes, attempt, depth + 1) for each in arguments)
    return f"{name}({', '.join(listed)})"


def _required(node: ast.FunctionDef) -> list[ast.arg]:
    arguments = [*node.args.posonlyargs, *node.args.args]
    return arguments[: len(arguments) - len(node.args.defaults)]


def _example(kind: ast.expr | None, classes: Constructors, attempt: int, depth: int) -> str:
    """A value of the annotated type."""
    text = ast.unparse(kind).strip("'\"") if kind else ""
    if text in classes:
        return made(text, classes, attempt, depth)
    known = _LARGER if attempt else _SMALL
    if attempt:
        match kind:
            case ast.Subscript(value=ast.Name(id="list"), slice=inner):
                return f"[{_example(inner, classes, attempt, depth)}]"
            case ast.Subscript(value=ast.Name(id="dict"), slice=ast.Tuple(elts=[key, value])):
                parts = (_example(each, classes, attempt, depth) for each in (key, value))
                return f"{{{': '.join(parts)}}}"
    return known.get(text.partition("[")[0], _OF_ANY_TYPE[attempt])
