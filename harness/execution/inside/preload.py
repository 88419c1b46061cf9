"""Prepares the memory that forked processes share, so that a scenario copies as little of it as
possible.

A page of memory is copied when a fork writes to it, and CPython writes even when a program only
reads: it counts references, so objects from before the fork never reach zero and can be made
immortal from 3.12 on, as `None` is. It also caches where methods are found and which types code
meets, so a small program of ours runs once before the forks to fill these caches. Free memory is
given back.
"""
# not pathlib: it would add memory to every fork
# ruff: noqa: PTH123

from __future__ import annotations

import gc
import marshal
import os
import sys
from functools import partial

from .messages.frames import send
from .messages.protocol import USUAL_FILES, ScenarioJob
from .scenario.evaluate import compile_stimulus, packed_literal
from .scenario.process import Program, ScenarioProcess

try:
    import ctypes
except ImportError:  # it only saves time
    ctypes = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PROGRAM = b"""\
from typing import Optional
from preload_constants import *
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
_SETUP: dict[str, Any] = {
    "provided": [("preload_constants.py", b"SIZE = 2\n")],
    "main": "preload_program.py",
    "files": [("preload_program.py", _PROGRAM)],
    "cells": {},
    "extra_modules": [],
    "functions": _FUNCTIONS,
    "compare": {},
}
_JOB = ScenarioJob(
    action="call",
    runs=False,
    program="preload_program.py",
    argv=[],
    texts=None,
    selection=USUAL_FILES,
    bindings=[("unused", packed_literal("5"))],
    seed=0,
    clock=None,
    stdin=None,
    stderr_apart=False,
    environment={},
    finds_loop=False,
    traces_lines=False,
    counts_lines=False,
    sentinel=b"-",
)
_TIMES = 12  # more often than the interpreter waits before it specialises its code


def _packed(*texts: Any) -> bytes:
    return marshal.dumps(compile_stimulus(_FUNCTIONS, *texts))


def preload() -> None:
    """Run a call, a session and a program of ours once, with discarded output and no lasting
    effect, to fill CPython's caches.
    """
    before = list(sys.meta_path), dict(sys.modules), sys.argv, sys.stdout
    call = _packed("", "echo(['a', ('b', 2)], 'a')", ())
    fault = _packed("", "echo(1, {})", ())
    session = _packed("grid = ['a']", "", ("echo(grid, 'b')", "x = grid[0]", "x", "print(x)"))
    parts = (("call", call), ("call", fault), ("session", session), ("run", call))
    program = Program(_SETUP)
    with open(os.devnull, "w", buffering=1, encoding="utf-8") as silence:
        sys.stdout = silence
        for action, stimulus in parts * _TIMES:
            job = _JOB.replaced(action=action, runs=action == "run", stimulus=stimulus)
            process = ScenarioProcess(job, program)
            process.perform(silence.fileno(), partial(send, silence.fileno()), bytes)
            sys.meta_path[:] = before[0]
            sys.modules.clear()
            sys.modules.update(before[1])
        sys.argv, sys.stdout = before[2:]


_CODE = type((lambda: None).__code__)
_KNOWN_VERSIONS = frozenset({(3, 12), (3, 13)})  # where an object's count of references lies


def freeze_heap() -> None:
    """Make all objects immortal, exclude them from garbage collection, and give back free
    memory.
    """
    gc.collect()
    if ctypes is not None:
        if _counts_are_where_expected():
            _make_immortal(gc.get_objects())
        libc = ctypes.CDLL(None)
        if hasattr(libc, "malloc_trim"):  # glibc's own
            libc.malloc_trim(0)
    gc.freeze()


def _make_immortal(pending: list[Any]) -> None:
    """Make these objects immortal, and all objects that they refer to, as far as `gc` and code
    objects show them.
    """
    count_at = ctypes.c_uint32.from_address
    immortal = count_at(id(None)).value
    while pending:
        new: list[Any] = []
        for thing in pending:
            count = count_at(id(thing))
            if count.value != immortal:
                count.value = immortal
                new.append(thing)
        pending = gc.get_referents(*new)
        for thing in new:
            if type(thing) is _CODE:
                pending += (thing.co_consts, thing.co_names, thing.co_name, thing.co_qualname)
                pending += (thing.co_filename, thing.co_varnames)
                pending += (thing.co_freevars, thing.co_cellvars)


def _counts_are_where_expected() -> bool:
    """Return whether objects begin with their reference count and `None` is marked as immortal.

    Only known versions are trusted, and both facts are checked.
    """
    known = sys.implementation.name == "cpython" and sys.version_info[:2] in _KNOWN_VERSIONS
    if not known or "t" in sys.abiflags or sys.byteorder != "little" or sys.maxsize < 1 << 32:
        return False
    probe: list[object] = []
    references = [probe] * 1234
    count = ctypes.c_uint32.from_address(id(probe)).value
    immortal = ctypes.c_uint32.from_address(id(None)).value
    return count == len(references) + 1 == sys.getrefcount(probe) - 1 and immortal >= 1 << 30
