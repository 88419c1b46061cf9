"""Tells quickly whether a module's names still have the same values.

Comparing every name would take longer than most scenarios: there are 150 built-in names. CPython
3.11 and 3.12 give each dictionary a version number that changes with every modification (PEP 509).
If the number is the same, nothing has changed. On other versions every name is compared.
"""

from __future__ import annotations

import sys
from _operator import is_

try:
    import ctypes
except ImportError:  # it only saves time
    ctypes = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

_KNOWN_VERSIONS = frozenset({(3, 11), (3, 12)})  # later ones have another number in its place
_NUMBER_AT = 24  # bytes after the beginning of a dictionary: the object's head and its length


class Names:
    """The names of a module and their values, in order, at the moment when this object is made."""

    def __init__(self, description: str, space: dict[str, Any]) -> None:
        self._description = description
        self._space = space
        self._keys = list(space)
        self._values = list(space.values())
        self._number = _number_of(space)
        self._unchanged_at = -1 if self._number is None else self._number.value

    def change(self) -> str:
        """Describe the first change since then; return an empty text if nothing has changed."""
        number = self._number
        if number is not None and number.value == self._unchanged_at:
            return ""
        if not are_same(self._space.values(), self._values):
            return self._description + changed_key(self._space, self._keys, self._values)
        if not are_same(self._space, self._keys):
            return self._description
        if number is not None:
            self._unchanged_at = number.value
        return ""


def are_same(parts: Collection[Any], kept: list[Any]) -> bool:
    """Return whether these are the objects that were kept, in the same order."""
    return len(parts) == len(kept) and all(map(is_, parts, kept))


def changed_key(mapping: Any, keys: list[Any], values: list[Any]) -> str:
    """Return the first name whose value has changed, to be named in a message."""
    # Names only: a key of the program's own would compare itself with them.
    before = {key: value for key, value in zip(keys, values, strict=True) if type(key) is str}
    after = {key: value for key, value in mapping.items() if type(key) is str}
    for key in [*after, *before]:
        if before.get(key, before) is not after.get(key, after):
            return f" (`{key}`)"
    return ""


def _number_of(space: dict[str, Any]) -> Any:
    """Return an object to read a dictionary's version number from repeatedly; None if dictionaries
    have none.
    """
    return _number_in(space) if _HAS_NUMBERS else None


def _number_in(space: dict[str, Any]) -> Any:
    return ctypes.c_uint64.from_address(id(space) + _NUMBER_AT)


def _has_numbers() -> bool:
    """Return whether this interpreter's dictionaries have a version number at the expected place
    in memory.

    Only known Python versions are considered, and a test dictionary is changed to see the number
    change.
    """
    known = sys.implementation.name == "cpython" and sys.version_info[:2] in _KNOWN_VERSIONS
    if not known or ctypes is None or hasattr(sys, "gettotalrefcount") or sys.maxsize < 1 << 32:
        return False
    probe: dict[str, object] = {"a": None}
    number = _number_in(probe)
    seen = [number.value]
    for key, value in (("a", 1), ("b", 1), ("a", 2), ("a", 1), ("b", 2)):
        probe[key] = value
        seen.append(number.value)
        if probe.get(key) is None or list(probe.values()) == [] or number.value != seen[-1]:
            return False  # reading changes nothing
    del probe["b"]
    seen.append(number.value)
    return len(set(seen)) == len(seen)


_HAS_NUMBERS = _has_numbers()
