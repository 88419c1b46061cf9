"""Reads names and options from the syntax trees of programs and tests."""

from __future__ import annotations

import ast


def names_in(node: ast.AST) -> set[str]:
    """Return the names that stand in a part of a program."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def options_of(call: ast.Call) -> dict[str, ast.expr]:
    """Return the arguments that a call gives by name."""
    return {str(keyword.arg): keyword.value for keyword in call.keywords}
