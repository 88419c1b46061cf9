"""`{yields: […]}`: what a generator gives one after another.

With `and_more: true` more may follow, as of a generator that never ends; with `any_iterator: true`
another iterator of Python's own (`map`, `filter`, `iter(…)`) is as good.
"""

from __future__ import annotations

from harness.matchers.comparison import same, source, words_limit
from harness.matchers.registry import FLAG, VALUES, matcher_class, matcher_key
from harness.model.expectation import Matcher
from harness.model.values import Value, ValueKind

GENERATOR = "generator"


@matcher_class
class Yields(Matcher):
    """A generator of these values; `and_more`: they are only the first."""

    values: tuple[Value, ...]
    and_more: bool = False
    any_iterator: bool = False
    within: float | None = None

    def accepts(self, value: Value) -> bool:
        expected = self.any_iterator or value.text == GENERATOR
        return expected and self.accepts_of_any_iterator(value)

    def accepts_of_any_iterator(self, value: Value) -> bool:
        """Whether it is an iterator, of whatever type, that gave these values."""
        if value.kind is not ValueKind.ITERATOR:
            return False
        given = value.items[: len(self.values)] if self.and_more else value.items
        if len(given) != len(self.values):
            return False
        return all(same(*pair, self.within) for pair in zip(self.values, given, strict=True))

    def in_words(self, *, whole: bool = False) -> str:
        more = " and then more" if self.and_more else ""
        what = "an iterator" if self.any_iterator else "a generator"
        values = source(Value(ValueKind.LIST, items=self.values), limit=words_limit(whole=whole))
        return f"{what} that yields {values}{more}"


matcher_key(
    "yields", Yields, order=75, for_text=False, values=VALUES, and_more=FLAG, any_iterator=FLAG
)
