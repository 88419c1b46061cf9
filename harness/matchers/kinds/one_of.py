"""`{one_of: […]}`: one of several values, type-exact."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from harness.matchers.comparison import same, source, words_limit
from harness.matchers.field import Field
from harness.matchers.kinds.exactly import Exactly
from harness.matchers.registry import Schema, matcher_class, matcher_key, read
from harness.model.expectation import Ignore, Matcher
from harness.model.values import Value

_MOST_NAMED = 6
_LONGEST_NAMED = 40  # characters


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf(Matcher):
    """One of these values, or what one of these matchers accepts."""

    values: tuple[Value, ...]
    matchers: tuple[Matcher, ...] = ()
    within: float | None = None

    def accepts(self, value: Value) -> bool:
        """Whether it is one of them."""
        return any(same(candidate, value, self.within) for candidate in self.values) or any(
            matcher.accepts(value) for matcher in self.matchers
        )

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        """Whether it is one of them, the forgiven differences apart."""
        every = (*(Exactly(value=value) for value in self.values), *self.matchers)
        return any(matcher.accepts_text(text, ignore) for matcher in every)

    def in_words(self, *, whole: bool = False) -> str:
        """All of them, or the first few."""
        limit = words_limit(whole=whole, part=_LONGEST_NAMED)
        named = [source(each, limit=limit) for each in self.values]
        named += [matcher.in_words() for matcher in self.matchers]
        more = [] if whole or len(named) <= _MOST_NAMED else ["…"]
        return "one of " + ", ".join([*named[: None if whole else _MOST_NAMED], *more])

    def parts(self) -> tuple[Matcher, ...]:
        """Itself, and the matchers inside."""
        return (self, *(part for inner in self.matchers for part in inner.parts()))

    def resolved(self, python_values: Mapping[str, Value]) -> Matcher:
        """With every matcher inside resolved."""
        inner = tuple(matcher.resolved(python_values) for matcher in self.matchers)
        return replace(self, matchers=inner)


def _option(matcher: Schema) -> Schema:
    plain = {"type": ["string", "number", "boolean", "null", "array"]}
    return {"one_of": {"type": "array", "minItems": 1, "items": {"anyOf": [plain, matcher]}}}


@matcher_key("one_of", _option, order=60)
def _read(field: Field) -> Matcher | None:
    options = field.at("one_of")
    if not isinstance(options.data, list) or not options.data:
        options.refuse(f"expected a list of values, got {options.described()}")
        return None
    every = [options.at(index) for index in range(len(options.data))]
    values = [option.value() for option in every if not isinstance(option.data, dict)]
    matchers = [read(option) for option in every if isinstance(option.data, dict)]
    known = tuple(value for value in values if value is not None)
    found = tuple(matcher for matcher in matchers if matcher is not None)
    if len(known) + len(found) < len(every):
        return None
    return OneOf(values=known, matchers=found, within=field.within)
