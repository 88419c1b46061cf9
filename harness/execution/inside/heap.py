"""Saves every scenario from copying memory that it only reads. Imports no other module of ours.

A fork shares its parent's memory until one of them writes, and CPython writes where it reads: it
counts references. Objects that were there before the fork outlive every scenario, so from 3.12 on
they can be made immortal, as `None` is, and are never counted again. Free memory is given back, so
that a fork has fewer pages to copy.
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
    from typing import Any

_CODE = type((lambda: None).__code__)
_KNOWN_VERSIONS = frozenset({(3, 12), (3, 13)})  # where an object's count of references lies


def freeze_heap() -> None:
    """Make everything there is immortal and shut it off from garbage collection, and give back the
    memory that is free."""
    gc.collect()
    if ctypes is not None:
        if _counts_are_where_expected():
            _make_immortal(gc.get_objects())
        if sys.platform == "linux":
            libc = ctypes.CDLL(None)
            if hasattr(libc, "malloc_trim"):  # glibc's own
                libc.malloc_trim(0)
    gc.freeze()


def _make_immortal(pending: list[Any]) -> None:
    """These objects and all that they refer to, as far as the collector and code tell."""
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
    """Whether this is a version of which it is known that objects begin with their count of
    references and `None` has the mark of an immortal, and both are so here."""
    if sys.version_info[:2] not in _KNOWN_VERSIONS:
        return False
    if sys.implementation.name != "cpython" or "t" in sys.abiflags:
        return False
    if sys.byteorder != "little" or sys.maxsize < 1 << 32:
        return False
    probe: list[object] = []
    seen = [probe] * 1234
    count = ctypes.c_uint32.from_address(id(probe)).value
    immortal = ctypes.c_uint32.from_address(id(None)).value
    return count == len(seen) + 1 == sys.getrefcount(probe) - 1 and immortal >= 1 << 30
