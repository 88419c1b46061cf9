"""Runs a program of ours in the base server, so that the interpreter learns in it once what every
scenario would learn anew: where methods are, and which types our own code meets.

What it learns it writes into memory that forks share; written once, no scenario copies it.
"""

# pathlib would be heavy for every fork to carry
# ruff: noqa: PTH123

from __future__ import annotations

import os
import sys

from .modules import ModuleSource
from .scenario.process import Files, ScenarioProcess
from .scenario.stimulus import CompiledStimulus, compile_stimulus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PROVIDED = b"SIZE = 2\n"
_PROGRAM = b"""\
from typing import Optional
from warm_up_constants import *
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


def warm_up() -> None:
    """Call, hold a session and run the program, with the output discarded; leaves no trace."""
    before = list(sys.meta_path), dict(sys.modules), sys.argv, sys.stdout
    call = CompiledStimulus(compile_stimulus(_FUNCTIONS, "", "echo(['a', ('b', 2)], 'a')", ()))
    fault = CompiledStimulus(compile_stimulus(_FUNCTIONS, "", "echo(1, {})", ()))
    steps = ("echo(grid, 'b')", "x = grid[0]", "x", "print(x)")
    session = CompiledStimulus(compile_stimulus(_FUNCTIONS, "grid = ['a']", "", steps))
    parts = (("call", call), ("call", fault), ("session", session), ("run", call))
    provided = ModuleSource("warm_up_constants.py", _PROVIDED)
    program = ModuleSource("warm_up_program.py", _PROGRAM)
    files = Files(
        {"warm_up_constants": provided}, {}, {"warm_up_program": program}, "warm_up_program"
    )
    with open(os.devnull, "w", buffering=1, encoding="utf-8") as silence:
        sys.stdout = silence
        for action, stimulus in parts * _TIMES:
            _perform(action, stimulus, files, silence.fileno())
            sys.meta_path[:] = before[0]
            sys.modules.clear()
            sys.modules.update(before[1])
        sys.argv, sys.stdout = before[2:]


def _perform(action: str, stimulus: CompiledStimulus, files: Files, silence: int) -> None:
    job: dict[str, Any] = {
        "action": action,
        "program": "warm_up_program.py",
        "argv": [],
        "bindings": [("unused", "5")],
        "seed": 0,
        "sentinel": b"-",
        "shim": False,
        "folder": "",
        "stdin": None,
        "environment": {},
    }
    ScenarioProcess(job, stimulus, files, _FUNCTIONS).perform(silence, silence)
