"""`{number: 4}`: a str in which the number stands by itself."""

from __future__ import annotations

import re
from collections.abc import Collection

from harness.matchers.field import Field
from harness.matchers.registry import Part, matcher_class, matcher_key
from harness.model.expectation import Ignore, TextMatcher

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


@matcher_class
class HasNumber(TextMatcher):
    """A str in which the number, written as here, is no part of another: 4 is in "4 tries." and
    neither in "14", "4.5" nor "-4"."""

    number: str

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        pattern = rf"(?<![0-9])(?<![0-9][.,])(?<!\s-)(?<!\A-){re.escape(self.number)}(?![.,]?[0-9])"
        return re.search(pattern, text) is not None

    def in_words(self, *, whole: bool = False) -> str:
        return f"text with the number {self.number}"


def _number(field: Field) -> str:
    data = field.data
    written = field.render(data) if isinstance(data, str) else str(data)
    if isinstance(data, bool) or not _NUMBER.fullmatch(written):
        field.expected("a number", 'as it is printed: 4, 2.50 as "2.50", "{{ BOARD_SIZE }}"')
    return written


matcher_key(
    "number",
    HasNumber,
    order=52,
    number=Part(read=_number, schema={"type": ["number", "string"]}),
)
