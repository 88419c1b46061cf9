"""A plain value: this value, type-exact; in a text channel this text."""

from __future__ import annotations

from collections.abc import Collection

from harness.matchers.comparison import normalised, same, source, with_tolerated, words_limit
from harness.matchers.registry import matcher_class
from harness.model.expectation import Ignore, Matcher
from harness.model.values import Value, ValueKind


@matcher_class
class Exactly(Matcher):
    """This value and no other. It has no key: it is whatever is not a mapping."""

    value: Value
    within: float | None = None  # how far floats may be off, anywhere in the value

    def accepts(self, value: Value) -> bool:
        return same(self.value, value, self.within)

    def pair(self, value: Value) -> tuple[Value, Value]:
        """This value and the other, with this one's floats where they are near enough."""
        return self.value, with_tolerated(self.value, value, self.within)

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        stated = self.exact_text
        return stated is not None and normalised(stated, ignore) == normalised(text, ignore)

    def in_words(self, *, whole: bool = False) -> str:
        near = "" if self.within is None else f" (floats within {self.within:g})"
        return source(self.value, limit=words_limit(whole=whole)) + near

    @property
    def exact_text(self) -> str | None:
        """The text, if the value is one."""
        return self.value.text if self.value.kind is ValueKind.STR else None
