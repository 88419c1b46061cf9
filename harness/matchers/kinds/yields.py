"""`{yields: […]}`: what a generator, or another iterator, gives one after another.

With `and_more: true` more may follow, as of a generator that never ends.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.matchers.comparison import same, source
from harness.matchers.field import Field
from harness.matchers.registry import matcher_class, matcher_key
from harness.model.expectation import Matcher
from harness.model.values import Value, ValueKind


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class Yields(Matcher):
    """A generator or iterator of these values; `and_more`: they are only the first."""

    values: tuple[Value, ...]
    and_more: bool = False
    within: float | None = None

    def accepts(self, value: Value) -> bool:
        """Whether it is an iterator that gave these values."""
        if value.kind is not ValueKind.ITERATOR:
            return False
        given = value.items[: len(self.values)] if self.and_more else value.items
        if len(given) != len(self.values):
            return False
        return all(same(*pair, self.within) for pair in zip(self.values, given, strict=True))

    def in_words(self, *, whole: bool = False) -> str:
        """The values."""
        more = " and then more" if self.and_more else ""
        return f"a generator that yields {source(Value(ValueKind.LIST, items=self.values))}{more}"


@matcher_key(
    "yields",
    lambda _: {"yields": {"type": "array"}},
    order=75,
    for_text=False,
    optional={"and_more": {"type": "boolean"}},
)
def _read(field: Field) -> Matcher | None:
    stated = field.at("yields")
    if not isinstance(stated.data, list):
        stated.refuse(f"expected a list of values, got {stated.described()}")
        return None
    more = field.data.get("and_more", False)
    if not isinstance(more, bool):
        field.at("and_more").refuse(
            f"expected true or false, got {field.at('and_more').described()}"
        )
        return None
    values = [stated.at(index).value() for index in range(len(stated.data))]
    known = tuple(value for value in values if value is not None)
    if len(known) != len(values):
        return None
    return Yields(values=known, and_more=more, within=field.within)
