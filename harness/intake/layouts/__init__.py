"""The platforms whose downloads are read: each module here with a `LAYOUT` is one."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from harness.intake.layouts.layout import Layout, Times

__all__ = ["Layout", "Times", "known_layouts"]


@cache
def known_layouts() -> tuple[Layout, ...]:
    """The `LAYOUT` of every module in this package, in their order."""
    modules = (
        importlib.import_module(f"{__name__}.{found.name}")
        for found in pkgutil.iter_modules(__path__)
    )
    layouts = [module.LAYOUT for module in modules if hasattr(module, "LAYOUT")]
    return tuple(sorted(layouts, key=lambda layout: (layout.order, layout.name)))
