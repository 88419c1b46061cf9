"""Functions that a test can replace for a while, to lend drivers that live on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Replaceable(Generic[P, R]):
    """A function (`original`) that can be replaced for all its callers."""

    def __init__(self, original: Callable[P, R]) -> None:
        self.original = original
        self._current: Callable[P, R] = original
        update_wrapper(self, original, updated=())

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        return self._current(*arguments, **named)

    @contextmanager
    def replaced_by(self, other: Callable[..., Any]) -> Iterator[None]:
        """Call `other` in its place within this block. Blocks may be nested."""
        before = self._current
        self._current = other
        try:
            yield
        finally:
            self._current = before
