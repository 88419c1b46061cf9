"""The platforms whose downloads are read: each module here with a `LAYOUT` is one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from harness.intake.entries import Entry
from harness.intake.uploads import StudentUploads
from harness.model.plan import Assignment


class Times(StrEnum):
    """What a download tells of when each attempt was handed in."""

    EXACT = "exact"
    LATE_ONLY = "late_only"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One platform. `is_one` says whether a thing at the root is named as the platform names
    them, `read` makes students of those; `example` is such a name, for messages.

    A name that several layouts know belongs to the one of the lowest `order`. `needs` is a file
    without which nothing at the root is of this layout; "" for none.
    """

    name: str
    order: int
    example: str
    times: Times
    is_one: Callable[[Entry], bool]
    read: Callable[[Entry, Sequence[Entry], Assignment], tuple[StudentUploads, ...]]
    needs: str = ""


@cache
def known_layouts() -> tuple[Layout, ...]:
    """The `LAYOUT` of every module in this package, in their order."""
    modules = (
        importlib.import_module(f"{__name__}.{module.name}")
        for module in pkgutil.iter_modules(__path__)
    )
    layouts = [module.LAYOUT for module in modules if hasattr(module, "LAYOUT")]
    return tuple(sorted(layouts, key=lambda layout: (layout.order, layout.name)))
