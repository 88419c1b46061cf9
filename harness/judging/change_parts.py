"""Replaces parts of frozen values, at any depth."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from operator import is_not
from typing import Any, TypeVar, cast

T = TypeVar("T")

_DEEPEST = 100  # deeper values are not shown


def change_parts(thing: T, change: Callable[[object], object], depth: int = 0) -> T:
    """Return the value with the results of `change` for each part; if that is None, for the parts
    of it.
    """
    changed = change(thing)
    if changed is not None or depth == _DEEPEST:
        return thing if changed is None else cast(T, changed)
    if isinstance(thing, tuple):
        parts = tuple(change_parts(part, change, depth + 1) for part in thing)
        return cast(T, parts) if any(map(is_not, parts, thing)) else thing
    if is_dataclass(thing):
        old = {each.name: getattr(thing, each.name) for each in fields(thing)}
        new = {name: change_parts(part, change, depth + 1) for name, part in old.items()}
        new = {name: part for name, part in new.items() if part is not old[name]}
        return replace(cast(Any, thing), **new) if new else thing
    return thing
