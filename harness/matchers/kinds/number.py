"""`{number: 4}`: a str in which the number stands by itself."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from harness.matchers.field import Field
from harness.matchers.registry import matcher_class, matcher_key
from harness.model.expectation import Ignore, Matcher
from harness.model.values import Value, ValueKind

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class HasNumber(Matcher):
    """A str in which the number, written as here, is no part of another: 4 is in "4 tries." and
    neither in "14", "4.5" nor "-4"."""

    number: str

    def accepts(self, value: Value) -> bool:
        """Whether it is a str with the number."""
        return value.kind is ValueKind.STR and self.accepts_text(value.text)

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        """Whether it has the number."""
        pattern = rf"(?<![0-9])(?<![0-9][.,])(?<!\s-)(?<!\A-){re.escape(self.number)}(?![.,]?[0-9])"
        return re.search(pattern, text) is not None

    def in_words(self, *, whole: bool = False) -> str:
        """The number."""
        return f"text with the number {self.number}"


@matcher_key("number", lambda _: {"number": {"type": ["number", "string"]}}, order=52)
def _read(field: Field) -> Matcher | None:
    stated = field.at("number")
    data = stated.data
    written = stated.render(data) if isinstance(data, str) else str(data)
    if isinstance(data, bool) or not _NUMBER.fullmatch(written):
        hint = 'as it is printed: 4, 2.50 as "2.50", "{{ BOARD_SIZE }}"'
        stated.refuse(f"expected a number, got {stated.described()}", hint)
        return None
    return HasNumber(number=written)
