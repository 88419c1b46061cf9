"""Find names and options in the syntax trees of programs and tests."""

from __future__ import annotations

import ast


def names_in(node: ast.AST) -> set[str]:
    """Return all names that occur in a part of a program."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def options_of(call: ast.Call) -> dict[str, ast.expr]:
    """Return the keyword arguments of a call by name."""
    return {str(keyword.arg): keyword.value for keyword in call.keywords}
