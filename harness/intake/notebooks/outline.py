"""Reduce a notebook on standard input to its cells and print it, without any output.

The text of this file is run by a process of its own (`python -I -S -c`), because a small file of
JSON can fill the memory. It uses only the standard library.
"""

import json
import sys

MEMORY = 1024 * 1024 * 1024
SECONDS = 20
MAX_TEXT = 4 * 1024 * 1024  # of what is printed
TOO_LARGE, NOT_JSON, NO_CELLS = 3, 4, 5  # exit statuses


def limit() -> None:
    """Limit this process, if the system can."""
    try:
        import resource  # noqa: PLC0415
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def outline(data: bytes) -> str:
    """Return the notebook with nothing but the kinds and sources of its cells, and its language.

    If it is not a notebook, end the process with a status that says why.
    """
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        sys.exit(NOT_JSON)
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if isinstance(notebook, dict) and isinstance(notebook.get("worksheets"), list):
        cells = []  # of version 3
        for sheet in notebook["worksheets"]:
            if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list):
                cells += sheet["cells"]
    if not isinstance(cells, list):
        sys.exit(NO_CELLS)
    kept = [kept_cell(cell) for cell in cells if isinstance(cell, dict)]
    metadata = notebook.get("metadata")
    return json.dumps({"cells": kept, "language": language(metadata, cells)})


def kept_cell(cell: dict[str, object]) -> dict[str, object]:
    """Return the parts of a cell that are read."""
    metadata = cell.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    tags = metadata.get("tags")
    return {
        "cell_type": text(cell.get("cell_type")),
        "source": text(cell.get("source", cell.get("input"))),
        "tags": [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else [],
        "is_test": is_test(metadata.get("nbgrader")),
    }


def is_test(about: object) -> bool:
    """Return whether nbgrader's notes on a cell say that it only holds the course's tests."""
    if not isinstance(about, dict):
        return False
    return about.get("grade") is True and about.get("solution") is not True


def text(value: object) -> str:
    """Return a text, or the lines of one; empty for anything else."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def language(metadata: object, cells: list[object]) -> str:
    """Return the language of the kernel; empty if the notebook does not say it."""
    if not isinstance(metadata, dict):
        return ""
    for part, key in (("kernelspec", "language"), ("language_info", "name")):
        about = metadata.get(part)
        if isinstance(about, dict) and isinstance(about.get(key), str):
            return str(about[key])
    return ""


if __name__ == "__main__":
    limit()
    try:
        printed = outline(sys.stdin.buffer.read())
    except MemoryError:
        sys.exit(TOO_LARGE)
    if len(printed) > MAX_TEXT:
        sys.exit(TOO_LARGE)
    sys.stdout.write(printed)
