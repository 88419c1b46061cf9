"""Replaces parts of frozen values, at any depth."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from operator import is_not
from typing import Any, TypeVar, cast

T = TypeVar("T")

_MAX_DEPTH = 100  # deeper parts are never displayed


def change_parts(thing: T, change: Callable[[object], object], depth: int = 0) -> T:
    """Return a copy of a frozen value with parts replaced.

    `change` is called with the value: its result replaces the value. If it returns None, the same
    is done for each item or field of the value.
    """
    changed = change(thing)
    if changed is not None:
        return cast(T, changed)
    if depth == _MAX_DEPTH:
        return thing
    if isinstance(thing, tuple):
        parts = tuple(change_parts(part, change, depth + 1) for part in thing)
        if any(map(is_not, parts, thing)):
            return cast(T, parts)
    elif is_dataclass(thing):
        new: dict[str, object] = {}
        for field in fields(thing):
            part = getattr(thing, field.name)
            new_part = change_parts(part, change, depth + 1)
            if new_part is not part:
                new[field.name] = new_part
        if new:
            return cast(T, replace(cast(Any, thing), **new))
    return thing
