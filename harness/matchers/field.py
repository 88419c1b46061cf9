"""What a matcher may ask of the file that it is read from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from harness.model.values import Value


class Field(ABC):
    """One place in a specification and the data there.

    The loader implements it. Every mistake is noted with its place (file, line, column), and the
    reading goes on, so that all mistakes of a file are reported together.
    """

    path: tuple[Any, ...]
    """The keys and indexes that lead here from the top of the file."""

    data: Any
    """What the YAML holds here: None, bool, int, float, str, list or dict."""

    for_text: bool
    """Whether a text is expected (printed output, a message) and not any value."""

    @abstractmethod
    def at(self, key: str | int) -> Field:
        """The field of a key of this mapping, or of an index of this list."""

    @abstractmethod
    def refuse(self, what: str, hint: str = "", *, of_key: bool = False) -> None:
        """Note a mistake of the data here, or (`of_key`) of the key that leads here."""

    @abstractmethod
    def described(self) -> str:
        """What the data is, for "expected …, got …"."""

    @abstractmethod
    def nearest(self, names: Iterable[str], name: str | None = None) -> str:
        """A hint with the one of `names` most like `name` (default: the data); "" if none is."""

    @abstractmethod
    def text(self) -> str | None:
        """The data if it is a whole text; else None, with the mistake noted."""

    @abstractmethod
    def value(self) -> Value | None:
        """The data as a value, templates filled in; None, with the mistake noted."""

    @abstractmethod
    def render(self, text: str, quote: Callable[[str], str] = str) -> str:
        """The text with its templates filled in, each inserted text through `quote`."""

    @abstractmethod
    def expression(self) -> str | None:
        """The data if it is one Python expression with known names; else None, noted."""

    @property
    @abstractmethod
    def within(self) -> float | None:
        """How far off floats may be in this assignment; None: not at all."""

    @property
    @abstractmethod
    def patterns(self) -> Mapping[str, str]:
        """The assignment's named patterns: words to regular expression."""


def listed(names: Iterable[str]) -> str:
    """`a, b or c`."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last
