"""Keeps a test's process from loading modules and pickled objects that the program wrote into the
shared folder. They would run in the process that knows the expected values."""

from __future__ import annotations

import io
import pickle
import sys
from os import sep
from os.path import abspath
from typing import Any

# Plain data, whose making runs nothing.
_PICKLED = frozenset(
    f"{module}.{name}"
    for module, names in {
        "builtins": ("set", "frozenset", "complex", "range", "slice", "bytearray", "bytes"),
        "collections": ("OrderedDict", "deque", "Counter", "defaultdict"),
        "datetime": ("date", "datetime", "time", "timedelta"),
        "decimal": ("Decimal",),
        "fractions": ("Fraction",),
        "_codecs": ("encode",),
    }.items()
    for name in names
)


class _NoModules:
    """A finder that finds nothing."""

    def find_spec(self, name: str, target: object = None) -> None:
        return None

    def invalidate_caches(self) -> None:
        """Part of the protocol."""


class PlainUnpickler(pickle._Unpickler):  # that of C cannot be told
    """Reads plain data only."""

    def find_class(self, module: str, name: str, /) -> Any:
        if f"{module}.{name}" not in _PICKLED:
            what = f"a test reads only plain data from a pickle, and this holds {module}.{name}"
            raise pickle.UnpicklingError(what)
        return super().find_class(module, name)


def _load(file: Any, **options: Any) -> Any:
    return PlainUnpickler(file, **options).load()


def _loads(data: Any, /, **options: Any) -> Any:
    return PlainUnpickler(io.BytesIO(data), **options).load()


def load_nothing_below(folder: str) -> None:
    """Find no module in this folder, and make no objects from pickles."""

    def hook(path: str) -> _NoModules:
        whole = abspath(path)  # noqa: PTH100  (not resolved: it need not exist)
        if whole != folder and not whole.startswith(folder + sep):
            raise ImportError(path)
        return _NoModules()

    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()
    replaced: dict[str, Any] = {"load": _load, "loads": _loads, "Unpickler": PlainUnpickler}
    for name, function in replaced.items():
        setattr(pickle, name, function)
