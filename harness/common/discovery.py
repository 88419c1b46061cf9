"""How the harness is extended: one file in a package, which is found by itself; and how a package
has public names that are imported when they are first used.

The file binds a value of the package's type at module level (`LAYOUT = Layout(…)`, or a function
under a decorator that makes one), or derives a class from it. The package's `__init__` lists them
by `extensions` or `subclasses`.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any, TypeVar

T = TypeVar("T")


def import_modules(package: str, path: Iterable[str]) -> tuple[ModuleType, ...]:
    """Import all modules directly in `package` and return them, in the order of their names.

    Call it from the package's `__init__` with `__name__` and `__path__`. The file that builds the
    self-check recognises this call, and that of `extensions`, and packs the whole folder.
    """
    for info in pkgutil.iter_modules(path):
        importlib.import_module(f"{package}.{info.name}")
    # Not those of the folder: an interpreter that loads texts from memory has none.
    below = (name for name in sorted(sys.modules) if name.rpartition(".")[0] == package)
    return tuple(sys.modules[name] for name in below)


def extensions(
    package: str, path: Iterable[str], kind: type[T], order: Callable[[T], Any]
) -> tuple[T, ...]:
    """The values of type `kind` that the modules directly in `package` bind at module level, sorted
    by `order`. Raises ValueError where two of them have the same.

    Call it from the package's `__init__` with `__name__` and `__path__`.
    """
    return _sorted(package, path, lambda value: isinstance(value, kind), order)


def subclasses(
    package: str, path: Iterable[str], kind: type[T], order: Callable[[type[T]], Any]
) -> tuple[type[T], ...]:
    """The same of classes: those that the modules derive from `kind`."""

    def is_derived(value: object) -> bool:
        return isinstance(value, type) and issubclass(value, kind) and value is not kind

    return _sorted(package, path, is_derived, order)


def _sorted(
    package: str,
    path: Iterable[str],
    belongs: Callable[[object], bool],
    order: Callable[[Any], Any],
) -> tuple[Any, ...]:
    places: dict[Any, object] = {}
    for module in import_modules(package, path):
        for name, value in vars(module).items():
            if belongs(value) and places.setdefault(order(value), value) is not value:
                raise ValueError(f"{module.__name__}: the place of {name} is taken")
    return tuple(places[place] for place in sorted(places))


def lazy_exports(package: str, modules: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """The `__getattr__` of `package` for names that its `modules` define.

    No name may be that of a module of the package: importing the module would put it there.
    Raises AttributeError for any other name.
    """
    homes = {name: module for module, names in modules.items() for name in names}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return load
