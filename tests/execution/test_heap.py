"""What a process allocates after freezing its heap lies side by side; values are unchanged."""

from __future__ import annotations

import json
import subprocess

from harness.execution import Interpreter
from harness.execution.protocol.bootstrap import sources

# Leaves gaps in both allocators as a program's own past does, freezes its heap or not, and prints
# on how many pages what is allocated next lies.
_PROGRAM = """\
import ctypes, json, sys
module = {"__name__": "heap"}
exec(compile(sys.argv[1], "heap.py", "exec"), module)
libc, python = ctypes.CDLL(None), ctypes.PyDLL(None)
libc.malloc.restype = python.PyObject_Malloc.restype = ctypes.c_size_t
libc.free.argtypes = python.PyObject_Free.argtypes = (ctypes.c_size_t,)
allocators = ((libc.malloc, libc.free, 120), (python.PyObject_Malloc, python.PyObject_Free, 240))
for take, give_back, size in allocators:
    taken = [take(size) for _ in range(4000)]
    for place in taken[::67]:
        give_back(place)
kept = {"list": [1, "two"], "set": {3}}
if sys.argv[2] == "frozen":
    for _ in range(2):
        module["freeze_heap"]()
pages = [len({take(size) >> 12 for _ in range(20)}) for take, _, size in allocators]
print(json.dumps({"pages": pages, "kept": kept == {"list": [1, "two"], "set": {3}}}))
"""


def _after(interpreter: Interpreter, how: str) -> tuple[list[int], bool]:
    [(_, text)] = sources(["heap"])
    done = subprocess.run(
        [str(interpreter.path), "-I", "-S", "-c", _PROGRAM, text, how],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    return found["pages"], found["kept"]


def test_what_is_allocated_next_lies_on_few_pages(interpreter: Interpreter) -> None:
    before, _ = _after(interpreter, "not")
    after, kept = _after(interpreter, "frozen")
    assert kept
    for scattered, together in zip(before, after, strict=True):
        assert scattered >= 10
        assert together <= 4
