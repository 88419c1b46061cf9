"""Prevents a test's process from loading modules and pickles that the program wrote into the
shared folder. Their code would run in the process that knows the expected values.
"""

from __future__ import annotations

import io
import pickle
import sys
from importlib.machinery import ExtensionFileLoader, SourceFileLoader
from os import sep
from os.path import abspath
from typing import Any

from .files import FilesOfTest

# Types of plain data: making a value of them runs no other code.
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


def _load_no_file_of(files: FilesOfTest) -> None:
    """Make import loaders, which tests can create from a path, refuse files that the program may
    have written. The test's own files are read from memory.
    """
    usual_data = SourceFileLoader.get_data
    usual_create = ExtensionFileLoader.create_module

    def get_data(self: Any, path: str) -> Any:
        data = files.data_of_test(path)
        if data is None and files.is_shared(path):
            raise _not_loaded(path)
        return usual_data(self, path) if data is None else data

    def create_module(self: Any, spec: Any) -> Any:
        if files.is_shared(spec.origin):
            raise _not_loaded(spec.origin)
        return usual_create(self, spec)

    # The first class is that of all loaders of files, such as SourcelessFileLoader.
    loader: Any = next(base for base in SourceFileLoader.__mro__ if "get_data" in vars(base))
    loader.get_data = get_data
    setattr(ExtensionFileLoader, "create_module", create_module)  # noqa: B010


def _not_loaded(path: str) -> ImportError:
    return ImportError(f"a test loads no module from the program's folder: {path}")


def load_nothing_below(folder: str, files: FilesOfTest) -> None:
    """Import no modules from this folder, and let `pickle` make only plain data."""
    _load_no_file_of(files)

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
