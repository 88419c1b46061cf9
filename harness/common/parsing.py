"""Python source that may be none."""

from __future__ import annotations

import ast
import warnings


def statements(source: str | bytes) -> list[ast.stmt]:
    """The statements of a text; none where it is no Python. What Python warns of in it is not said
    here: the text is somebody else's."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
