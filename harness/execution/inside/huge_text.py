"""Lays the interpreter's code on huge pages: a fork then neither copies nor fetches its pages.

Every scenario's process would otherwise ask the kernel for some forty stretches of the same code,
and give them back when it ends: a tenth of what a short scenario costs. The pages hold what they
held and lie where they lay; where any step is refused, everything stays as it was.
"""
# pathlib would be heavy for every fork to carry
# ruff: noqa: PTH123

from __future__ import annotations

import os
import sys

try:
    import ctypes
except ImportError:  # it only saves time
    ctypes = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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
    room = length + _HUGE
    got = libc.mmap(None, size(room), _READ | _WRITE, _PRIVATE_ANONYMOUS, -1, ctypes.c_long(0))
    if got == _FAILED:
        return
    copy, _ = _whole_pages(got, got + room)
    if libc.madvise(size(copy), size(length), _MADV_HUGEPAGE) == 0:
        ctypes.memmove(copy, start, length)
        on_huge_pages = huge_bytes(copy) == length
        if on_huge_pages and libc.mprotect(size(copy), size(length), _READ | _EXECUTE) == 0:
            libc.mremap(size(copy), size(length), size(length), _MAYMOVE | _FIXED, size(start))
    libc.munmap(size(got), size(room))


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
