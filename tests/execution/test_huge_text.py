"""The interpreter's code on huge pages: the same code at the same place."""

from __future__ import annotations

import ctypes
import gc
import json
import mmap
import subprocess

import pytest

from harness.execution import Interpreter
from harness.execution.inside.heap import _whole_pages, huge_bytes
from harness.execution.protocol.bootstrap import sources

_PROGRAM = """\
import ctypes, json, sys
module = {"__name__": "heap"}
exec(compile(sys.argv[1], "heap.py", "exec"), module)
start, end = module["_code_of_interpreter"]()
before = ctypes.string_at(start, end - start)
low, high = module["_whole_pages"](start, end)
module["lay_code_on_huge_pages"]()
print(json.dumps({
    "whole": max(0, high - low),
    "same": before == ctypes.string_at(start, end - start),
    "huge": module["huge_bytes"](low) if high > low else 0,
    "runs_on": sorted({"b": 1, "a": 2}) == ["a", "b"] and "%.3f" % 1.5 == "1.500",
}))
"""


def _after_laying(interpreter: Interpreter) -> dict[str, object]:
    [(_, text)] = sources(["heap"])
    done = subprocess.run(
        [str(interpreter.path), "-I", "-S", "-c", _PROGRAM, text],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def _are_to_be_had() -> bool:
    """Whether the kernel gives one to whoever asks for it."""
    with mmap.mmap(-1, 4 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as mapping:
        mapping.madvise(mmap.MADV_HUGEPAGE)
        mapping.write(b"x" * (4 << 20))
        first = ctypes.addressof(ctypes.c_char.from_buffer(mapping))
        gc.collect()
        return huge_bytes(first) > 0


def test_the_code_is_the_same_and_runs_on(interpreter: Interpreter) -> None:
    found = _after_laying(interpreter)
    assert found["same"] is True
    assert found["runs_on"] is True
    assert found["huge"] in (0, found["whole"])


def test_it_lies_on_huge_pages_where_there_are_some(interpreter: Interpreter) -> None:
    found = _after_laying(interpreter)
    if not _are_to_be_had() or not found["whole"]:
        assert found["huge"] == 0
    else:
        assert found["huge"] == found["whole"]


@pytest.mark.parametrize(("start", "end"), [(0, 0), (1, 1 << 21), (1 << 20, 3 << 20)])
def test_there_may_be_no_whole_page(start: int, end: int) -> None:
    low, high = _whole_pages(start, end)
    assert low >= high
