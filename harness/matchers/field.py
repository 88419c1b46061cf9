"""What a matcher may ask of the file that it is read from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from harness.model.values import Value


class Refused(Exception):  # noqa: N818 - the mistake is the specification's
    """What is here cannot be read; the mistake is noted."""


class Field(ABC):
    """One place in a specification and the data there.

    The loader implements it. Every mistake is noted with its place (file, line, column) before
    `Refused` is raised: whoever reads several fields goes on, so that all mistakes of a file are
    reported together.
    """

    path: tuple[Any, ...]
    """The keys and indexes that lead here from the top of the file."""

    data: Any
    """What the YAML holds here: None, bool, int, float, str, list or dict."""

    for_text: bool
    """Whether a text is expected (printed output, a message) and not any value."""

    within: float | None
    """How far off floats may be in this assignment; None: not at all."""

    patterns: Mapping[str, str]
    """The assignment's named patterns: words to regular expression."""

    @abstractmethod
    def at(self, key: str | int) -> Field:
        """The field of a key of this mapping, or of an index of this list."""

    @abstractmethod
    def refuse(self, what: str, hint: str = "", *, of_key: bool = False) -> NoReturn:
        """A mistake of the data here, or (`of_key`) of the key that leads here."""

    @abstractmethod
    def expected(self, what: str, hint: str = "") -> NoReturn:
        """The mistake that something else is expected than the data here, which is described."""

    @abstractmethod
    def described(self) -> str:
        """What the data is, for "expected …, got …"."""

    @abstractmethod
    def nearest(self, names: Iterable[str], name: str | None = None) -> str:
        """A hint with the one of `names` most like `name` (default: the data); "" if none is."""

    @abstractmethod
    def text(self) -> str:
        """The data, which must be a whole text."""

    @abstractmethod
    def value(self) -> Value:
        """The data as a value, templates filled in."""

    @abstractmethod
    def render(self, text: str, quote: Callable[[str], str] = str) -> str:
        """The text with its templates filled in, each inserted text through `quote`."""

    @abstractmethod
    def expression(self) -> str:
        """The data, which must be one Python expression with known names."""

    def items(self) -> list[Field]:
        """The fields of this list."""
        return [self.at(index) for index in range(len(self.data))]
