"""Notebooks as Jupyter writes them."""

import json
from typing import Any


def code(source: str, *tags: str) -> dict[str, Any]:
    """A code cell that was run once."""
    printed = {"output_type": "stream", "name": "stdout", "text": ["printed\n"]}
    return {
        "cell_type": "code",
        "execution_count": 7,
        "metadata": {"tags": list(tags)},
        "outputs": [printed],
        "source": source.splitlines(keepends=True),
    }


def nbgrader(source: str, *, grade: bool, solution: bool) -> dict[str, Any]:
    """A code cell of nbgrader: with `grade` and no `solution`, the course's tests."""
    cell = code(source)
    cell["metadata"]["nbgrader"] = {"grade": grade, "solution": solution}
    return cell


def text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": source.splitlines(keepends=True)}


def notebook(*cells: dict[str, Any], language: str = "python") -> bytes:
    kernel = {"display_name": language, "language": language, "name": language}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4}
    return json.dumps(whole).encode()
