"""Python inside a spec: whether it parses, which names it needs and which it binds."""

from __future__ import annotations

import ast
import builtins
import warnings
from dataclasses import dataclass

BUILTINS = frozenset(dir(builtins)) | {"exit", "quit"}
BUILTIN_EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)


class PythonError(ValueError):
    """The text is not Python; `str()` says why."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names a piece of code reads without binding them, and those it binds."""

    needed: frozenset[str]
    bound: frozenset[str]


def parse_expression(text: str) -> ast.Expression:
    """One expression; PythonError if it is none."""
    tree = _parse(text.strip(), "eval")
    assert isinstance(tree, ast.Expression)
    return tree


def parse_statements(text: str) -> ast.Module:
    """Statements; PythonError if they are none."""
    tree = _parse(text, "exec")
    assert isinstance(tree, ast.Module)
    return tree


def _parse(text: str, mode: str) -> ast.AST:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, mode=mode)
    except SyntaxError as error:
        raise PythonError(error.msg) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise PythonError(str(error) or type(error).__name__) from None


def names_of(tree: ast.AST) -> Names:
    """The names of a tree. Scopes are ignored: a name bound anywhere counts as bound."""
    needed: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load() | ast.Del()):
                needed.add(name)
            case ast.Name(id=name):
                bound.add(name)
            case ast.arg(arg=name):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                bound.add(name)
            case ast.ClassDef(name=name):
                bound.add(name)
            case ast.alias(name=name, asname=other):
                bound.add(other or name.split(".")[0])
            case ast.ExceptHandler(name=str(name)):
                bound.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                bound.add(name)
    return Names(needed=frozenset(needed - bound), bound=frozenset(bound))
