"""Describes NumPy arrays and pandas tables by named parts with plain values.

It imports neither package: if a program has such a value, it has imported the package. A program
could lie about its values only by patching the package, and it knows no expected values.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Parts = list[tuple[str, object]]

_HEAP = 1 << 9  # the flag of types that are not compiled in
_flags_of = type.__dict__["__flags__"].__get__
_mro_of = type.__dict__["__mro__"].__get__
_name_of = type.__dict__["__name__"].__get__
ARRAY, SCALAR, TABLE, SERIES, INDEX, MISSING, TIME = range(1, 8)
_OF_PANDAS = {
    "DataFrame": TABLE,
    "Series": SERIES,
    "Index": INDEX,
    "Timestamp": TIME,
    "Timedelta": TIME,
}


class TooManyItemsError(Exception):
    """Raised for an array or table with more items than may be described."""


def group_of(kind: type) -> int:
    """Return which group of NumPy and pandas types `kind` belongs to, as a number; 0 for any other
    type.
    """
    if not _flags_of(kind) & _HEAP:
        return _group_of_numpy(kind)
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return 0
    space = pandas.__dict__
    for name, group in _OF_PANDAS.items():
        known = space.get(name)
        if known is kind or (group == INDEX and any(base is known for base in _mro_of(kind))):
            return group
    if any(type(space.get(name)) is kind for name in ("NaT", "NA")):
        return MISSING
    return 0


def _group_of_numpy(kind: type) -> int:
    if kind.__module__ != "numpy":
        return 0
    if _name_of(kind) == "ndarray":
        return ARRAY
    return SCALAR if any(_name_of(base) == "generic" for base in _mro_of(kind)) else 0


def parts_of(thing: Any, group: int, most: int) -> Parts:
    """Return the names and values of the parts of a value from this group.

    A NumPy number has one part, without a name. Raise TooManyItemsError for more than `most` items.
    """
    if group == SCALAR:
        return [("", _plain(thing.item()))]
    if group == MISSING:
        return []
    if group == TIME:
        return [("", str(thing))]
    if thing.size > most:
        raise TooManyItemsError
    if group == ARRAY:
        names = thing.dtype.names
        dtype = thing.dtype.name if names is None else str(thing.dtype)
        return [("dtype", dtype), ("shape", thing.shape), ("items", _plain(thing.tolist()))]
    if group == INDEX:
        return [("items", _plain(thing.tolist()))]
    if group == SERIES:
        return [
            ("name", _plain(thing.name)),
            ("dtype", str(thing.dtype)),
            ("index", _plain(thing.index.tolist())),
            ("items", _plain(thing.tolist())),
        ]
    return _parts_of_table(thing)


def _parts_of_table(thing: Any) -> Parts:
    rows: list[object] = []
    for row in thing.itertuples(index=False, name=None):
        rows.append(_plain(list(row)))
    return [
        ("columns", _plain(thing.columns.tolist())),
        ("dtypes", [str(dtype) for dtype in thing.dtypes]),
        ("index", _plain(thing.index.tolist())),
        ("rows", rows),
    ]


def _plain(value: Any) -> object:
    """Convert a part to a plain value: pandas' missing values to None, its times to text, NumPy's
    numbers to Python's. Return other values unchanged.
    """
    kind = type(value)
    if kind is list:
        return [_plain(part) for part in value]
    group = group_of(kind)
    if group == MISSING:
        return None
    if group == TIME:
        return str(value)
    return value.item() if group == SCALAR else value
