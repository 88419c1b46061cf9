"""Find the extensions of the harness: each is one file in a package.

The file binds a value of the package's type at module level (`LAYOUT = Layout(…)`, or a function
under a decorator that makes one), or derives a class from it. The package's `__init__` lists them
by `extensions` or `subclasses`.
"""

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, TypeVar

T = TypeVar("T")


def import_modules(package: str, path: Iterable[str]) -> tuple[ModuleType, ...]:
    """Import all modules directly in `package` and return them, in the order of their names.

    Call it, and the functions below, from the package's `__init__` with `__name__` and `__path__`.
    The file that builds the self-check recognises these calls, and packs the whole folder.
    """
    for info in pkgutil.iter_modules(path):
        importlib.import_module(f"{package}.{info.name}")
    # They are not found by the folder: an interpreter that loads texts from memory has none.
    modules: list[ModuleType] = []
    for name in sorted(sys.modules):
        parent, _, _ = name.rpartition(".")
        if parent == package:
            modules.append(sys.modules[name])
    return tuple(modules)


def extensions(
    package: str, path: Iterable[str], kind: type[T], order: Callable[[T], Any]
) -> tuple[T, ...]:
    """Return the values of type `kind` that the modules directly in `package` bind at module level,
    sorted by `order`. Raise ValueError if two of them have the same."""
    return _sorted(import_modules(package, path), lambda value: isinstance(value, kind), order)


def subclasses(
    package: str, path: Iterable[str], kind: type[T], order: Callable[[type[T]], Any]
) -> tuple[type[T], ...]:
    """Return the classes that the modules derive from `kind`, sorted in the same way."""

    def is_derived(value: object) -> bool:
        return isinstance(value, type) and issubclass(value, kind) and value is not kind

    return _sorted(import_modules(package, path), is_derived, order)


def _sorted(
    modules: Iterable[ModuleType], belongs: Callable[[object], bool], order: Callable[[Any], Any]
) -> tuple[Any, ...]:
    places: dict[Any, object] = {}
    for module in modules:
        for name, value in vars(module).items():
            if not belongs(value):
                continue
            place = order(value)
            if places.setdefault(place, value) is not value:
                what = f"the place of {name} is taken: {place}"
                raise ValueError(f"{module.__name__}: {what}")
    return tuple(places[place] for place in sorted(places))
