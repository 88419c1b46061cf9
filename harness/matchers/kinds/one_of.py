"""`{one_of: […]}`: one of several values, type-exact."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from harness.matchers.comparison import same, source
from harness.matchers.field import Field
from harness.matchers.kinds.exactly import Exactly
from harness.matchers.registry import matcher_class, matcher_key
from harness.model.expectation import Ignore, Matcher
from harness.model.values import Value

_MOST_NAMED = 6


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf(Matcher):
    """One of these values."""

    values: tuple[Value, ...]

    def accepts(self, value: Value) -> bool:
        """Whether it is one of them."""
        return any(same(candidate, value) for candidate in self.values)

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        """Whether it is one of them, the forgiven differences apart."""
        return any(Exactly(value=value).accepts_text(text, ignore) for value in self.values)

    def in_words(self, *, whole: bool = False) -> str:
        """The first few of them."""
        return "one of " + ", ".join(source(each, limit=40) for each in self.values[:_MOST_NAMED])


@matcher_key("one_of", lambda _: {"one_of": {"type": "array", "minItems": 1}}, order=60)
def _read(field: Field) -> Matcher | None:
    options = field.at("one_of")
    if not isinstance(options.data, list) or not options.data:
        options.refuse(f"expected a list of values, got {options.described()}")
        return None
    values = [options.at(index).value() for index in range(len(options.data))]
    known = tuple(value for value in values if value is not None)
    return OneOf(values=known) if len(known) == len(values) else None
