"""Runs a program of ours in the base server, so that the interpreter learns in it once what every
scenario would learn anew: where methods lie, and which shapes our own code meets.

What it learns it writes down in memory that forks share; writing it once spares every scenario
the copying of these pages.
"""
# pathlib would be heavy for every fork to carry
# ruff: noqa: PTH123

from __future__ import annotations

import os
import sys

from .modules import Source
from .question import Question, read
from .scenario import Files, Scenario

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PROVIDED = b"SIZE = 2\n"
_PROGRAM = b"""\
from typing import Optional
from rehearsed_constants import *
def echo(grid: list[str], word: str) -> Optional[str]:
    print(f"{word.strip():>{SIZE}}", *grid[:1])
    print("-" * SIZE, end="")
    grid.append(word.upper())
    return word
def main() -> None:
    for number in range(SIZE):
        print(echo(["a", "b"], str(number)))
if __name__ == "__main__":
    main()
"""
_FUNCTIONS = frozenset({"echo"})
_TIMES = 12  # more often than the interpreter waits before it fits its code to what it meets


def rehearse() -> None:
    """Call, hold a session and run the program, with nobody listening; leaves no trace."""
    before = list(sys.meta_path), dict(sys.modules), sys.argv, sys.stdout
    call = Question(read(_FUNCTIONS, "", "echo(['a', ('b', 2)], 'a')", ()))
    fault = Question(read(_FUNCTIONS, "", "echo(1, {})", ()))
    steps = ("echo(grid, 'b')", "x = grid[0]", "x", "print(x)")
    session = Question(read(_FUNCTIONS, "grid = ['a']", "", steps))
    parts = (("call", call), ("call", fault), ("session", session), ("run", call))
    with open(os.devnull, "w", buffering=1, encoding="utf-8") as silence:
        sys.stdout = silence
        for action, question in parts * _TIMES:
            _perform(action, question, silence.fileno())
            sys.meta_path[:] = before[0]
            sys.modules.clear()
            sys.modules.update(before[1])
        sys.argv, sys.stdout = before[2:]


def _perform(action: str, question: Question, silence: int) -> None:
    provided = Source("rehearsed_constants.py", _PROVIDED)
    program = Source("rehearsed.py", _PROGRAM)
    files = Files({"rehearsed_constants": provided}, {}, {"rehearsed": program}, "rehearsed")
    job: dict[str, Any] = {
        "action": action,
        "program": "rehearsed.py",
        "argv": [],
        "bindings": [("unused", "5")],
        "seed": 0,
        "mark": b"-",
        "shim": False,
    }
    Scenario(job, question, files, _FUNCTIONS).perform(silence, silence)
