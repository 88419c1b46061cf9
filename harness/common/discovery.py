"""Packages whose modules register themselves: importing the package imports every one of them."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable
from types import ModuleType


def import_modules(package: str, path: Iterable[str]) -> tuple[ModuleType, ...]:
    """Import all modules directly in `package` and return them, in the order of their names.

    Call it from the package's `__init__` with `__name__` and `__path__`. A module that is new in
    the folder is then found without being named anywhere. The file that builds the self-check
    recognises this call and packs the whole folder.
    """
    names = sorted(info.name for info in pkgutil.iter_modules(path))
    return tuple(importlib.import_module(f"{package}.{name}") for name in names)
