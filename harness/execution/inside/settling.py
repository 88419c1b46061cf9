"""Spares every scenario the copying of memory that it only reads.

A fork shares its parent's memory until one of them writes, and CPython writes where it reads: it
counts references. Objects that were there before the fork outlive every scenario, so from 3.12 on
they can be made immortal, as `None` is, and are never counted again. That, and giving free memory
back, halves what a scenario costs.
"""

from __future__ import annotations

import gc
import sys

try:
    import ctypes
except ImportError:  # it only saves time
    ctypes = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_CODE = type((lambda: None).__code__)
_MOST_GAPS, _IN_A_ROW = 1 << 14, 4


def settle() -> None:
    """Make everything there is immortal and shut it off from garbage collection, give the memory
    back that is free, and fill the small gaps that are left."""
    gc.collect()
    if ctypes is not None:
        if _counts_are_where_expected():
            _make_immortal(gc.get_objects())
        if sys.platform == "linux":
            libc = ctypes.CDLL(None)
            if hasattr(libc, "malloc_trim"):  # glibc's own
                libc.malloc_trim(0)
                _fill_gaps(libc)
    gc.freeze()


def look_up_beforehand(names: Iterable[str]) -> None:
    """Ask a module for these names, as a program will that imports them: the interpreter writes
    down, in a table that lies over many pages, which of them every module has."""
    module = type(sys)("asked")
    for name in names:
        getattr(module, name, None)


def _fill_gaps(libc: Any) -> None:
    """Take the small pieces that are free between what is in use, for good: what a scenario
    allocates then lies side by side, on few pages, not in gaps all over the memory."""
    interpreter = ctypes.PyDLL(None)
    take, give_back = interpreter.PyObject_Malloc, interpreter.PyObject_Free
    take.restype = libc.malloc.restype = ctypes.c_size_t
    give_back.argtypes = libc.free.argtypes = (ctypes.c_size_t,)
    give_back.restype = libc.free.restype = None
    for size in range(16, 513, 16):
        _fill(take, give_back, size)
    for size in range(24, 1033, 16):
        _fill(libc.malloc, libc.free, size)


def _fill(take: Any, give_back: Any, size: int) -> None:
    """Until some come right after each other, which means that they are cut off a large piece."""
    in_a_row = [0]
    for _ in range(_MOST_GAPS):
        place = take(size)
        # Our own numbers may take the room between two.
        if not 0 < place - in_a_row[-1] <= 3 * size:
            in_a_row.clear()
        in_a_row.append(place)
        if len(in_a_row) == _IN_A_ROW:
            break
    while in_a_row:
        give_back(in_a_row.pop())


def _make_immortal(pending: list[Any]) -> None:
    """These objects and all that they refer to, as far as the collector and code tell."""
    count_at = ctypes.c_uint32.from_address
    immortal = count_at(id(None)).value
    while pending:
        thing = pending.pop()
        count = count_at(id(thing))
        if count.value == immortal:
            continue
        count.value = immortal
        if type(thing) is _CODE:
            pending += (thing.co_consts, thing.co_names, thing.co_name, thing.co_qualname)
            pending += (thing.co_filename, thing.co_varnames, thing.co_freevars, thing.co_cellvars)
        else:
            pending += gc.get_referents(thing)


def _counts_are_where_expected() -> bool:
    """Whether objects begin with their count of references, and `None` has the mark of an
    immortal: not so in 3.11, in builds for free threads, or on other implementations."""
    if sys.implementation.name != "cpython" or "t" in sys.abiflags:
        return False
    if sys.byteorder != "little" or sys.maxsize < 1 << 32:
        return False
    probe: list[object] = []
    seen = [probe] * 1234
    told = ctypes.c_uint32.from_address(id(probe)).value
    immortal = ctypes.c_uint32.from_address(id(None)).value
    return told == len(seen) + 1 == sys.getrefcount(probe) - 1 and immortal >= 1 << 30
