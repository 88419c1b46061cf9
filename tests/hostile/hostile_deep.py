"""Programs of which one expression is deeper than many a tool can go."""

from pathlib import Path

RIGHT = """from a1_support import *


def total(numbers):
    result = 0
    for number in numbers:
        result += number
    return result
"""


def lay_deep(folder: Path, expression: str, end: str = "") -> None:
    """A right program, a function that returns the expression, and a last line."""
    deep = f"{RIGHT}\n\ndef deep(numbers):\n    return {expression}\n"
    (folder / "a1.py").write_text(f"{deep}\n\n{end}\n" if end else deep, "ascii")
