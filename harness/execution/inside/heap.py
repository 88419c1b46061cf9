"""Spares every scenario the copying of memory that it only reads. Needs no other module of ours.

A fork shares its parent's memory until one of them writes, and CPython writes where it reads: it
counts references. Objects that were there before the fork outlive every scenario, so from 3.12 on
they can be made immortal, as `None` is, and are never counted again. That, and giving free memory
back, halves what a scenario costs.

The interpreter's own code is copied to huge pages. Every scenario's process would otherwise ask the
kernel for some forty stretches of it and give them back when it ends: a tenth of what a short
scenario costs. Addresses and contents are unchanged; where any step is refused, nothing is.
"""

# pathlib would be heavy for every fork to carry
# ruff: noqa: PTH123

from __future__ import annotations

import gc
import os
import sys

try:
    import ctypes
except ImportError:  # it only saves time
    ctypes = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

_CODE = type((lambda: None).__code__)
_MOST_GAPS, _IN_A_ROW = 1 << 14, 4


def freeze_heap() -> None:
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
        # Our own numbers may use the addresses between two.
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


_HUGE = 1 << 21
_READ, _WRITE, _EXECUTE = 1, 2, 4
_PRIVATE_ANONYMOUS = 0x22
_MADV_HUGEPAGE = 14
_MAYMOVE, _FIXED = 1, 2
_FAILED = (1 << 64) - 1


def lay_code_on_huge_pages() -> None:
    """Do so for the file that the interpreter's own code is in, on x86-64 Linux."""
    if ctypes is None or sys.platform != "linux" or os.uname().machine != "x86_64":
        return  # others may keep a separate cache of instructions
    try:
        start, end = _whole_pages(*_code_of_interpreter())
        if start < end:
            _move(start, end - start)
    except OSError:  # no /proc to read from
        return


def _code_of_interpreter() -> tuple[int, int]:
    """Where the file whose code runs us is mapped and nothing is written: (start, end), or zeros.
    The parts of a file lie one after another."""
    inside = ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p).value or 0
    start = end = 0
    file = ""
    for low, high, modes, name in _mappings():
        if name and modes in ("r--p", "r-xp") and (low, name) == (end, file):
            end = high
        elif start <= inside < end:
            break
        else:
            start, end, file = (low, high, name) if modes in ("r--p", "r-xp") else (0, 0, "")
    return (start, end) if start <= inside < end else (0, 0)


def _mappings() -> Iterator[tuple[int, int, str, str]]:
    """Start, end, modes and file of each mapping of this process."""
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            places, modes, _, _, _, *name = line.split(None, 5)
            low, _, high = places.partition("-")
            yield int(low, 16), int(high, 16), modes, "".join(name)


def _whole_pages(start: int, end: int) -> tuple[int, int]:
    return -(-start // _HUGE) * _HUGE, end // _HUGE * _HUGE


def _move(start: int, length: int) -> None:
    """Copy what is there to huge pages, and let these take its place."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_size_t
    size = ctypes.c_size_t
    space = length + _HUGE
    got = libc.mmap(None, size(space), _READ | _WRITE, _PRIVATE_ANONYMOUS, -1, ctypes.c_long(0))
    if got == _FAILED:
        return
    copy, _ = _whole_pages(got, got + space)
    if libc.madvise(size(copy), size(length), _MADV_HUGEPAGE) == 0:
        ctypes.memmove(copy, start, length)
        on_huge_pages = huge_bytes(copy) == length
        if on_huge_pages and libc.mprotect(size(copy), size(length), _READ | _EXECUTE) == 0:
            libc.mremap(size(copy), size(length), size(length), _MAYMOVE | _FIXED, size(start))
    libc.munmap(size(got), size(space))


def huge_bytes(place: int) -> int:
    """How much of the mapping at this address is on huge pages, bytes; 0 where the system does
    not tell."""
    here = False
    with open("/proc/self/smaps", "rb") as maps:
        for line in maps:
            words = line.split()
            low, dash, high = words[0].partition(b"-")
            if dash:
                here = int(low, 16) <= place < int(high, 16)
            elif here and words[0] == b"AnonHugePages:":
                return int(words[1]) * 1024
    return 0
