"""`{one_of: […]}`: one of several values, type-exact."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from harness.matchers.comparison import same, source, words_limit
from harness.matchers.field import Field, read_all
from harness.matchers.kinds.exactly import Exactly
from harness.matchers.registry import Part, Schema, matcher_class, matcher_key, read
from harness.model.expectation import Ignore, Matcher
from harness.model.values import Value

_MOST_NAMED = 6
_LONGEST_NAMED = 40  # characters


@matcher_class
class OneOf(Matcher):
    """One of these values, or what one of these matchers accepts."""

    values: tuple[Value, ...]
    matchers: tuple[Matcher, ...] = ()
    within: float | None = None

    def accepts(self, value: Value) -> bool:
        return any(same(candidate, value, self.within) for candidate in self.values) or any(
            matcher.accepts(value) for matcher in self.matchers
        )

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        every = (*(Exactly(value=value) for value in self.values), *self.matchers)
        return any(matcher.accepts_text(text, ignore) for matcher in every)

    def in_words(self, *, whole: bool = False) -> str:
        limit = words_limit(whole=whole, part=_LONGEST_NAMED)
        named = [source(each, limit=limit) for each in self.values]
        named += [matcher.in_words() for matcher in self.matchers]
        more = [] if whole or len(named) <= _MOST_NAMED else ["…"]
        return "one of " + ", ".join([*named[: None if whole else _MOST_NAMED], *more])

    def parts(self) -> tuple[Matcher, ...]:
        return (self, *(part for inner in self.matchers for part in inner.parts()))

    def resolved(self, python_values: Mapping[str, Value]) -> Matcher:
        inner = tuple(matcher.resolved(python_values) for matcher in self.matchers)
        return replace(self, matchers=inner)


def _schema(matcher: Schema) -> Schema:
    plain = {"type": ["string", "number", "boolean", "null", "array"]}
    return {"type": "array", "minItems": 1, "items": {"anyOf": [plain, matcher]}}


def _one_of(field: Field) -> OneOf:
    if not isinstance(field.data, list) or not field.data:
        field.expected("a list of values")
    options: tuple[Value | Matcher, ...] = read_all(
        field.items(), lambda item: read(item) if isinstance(item.data, dict) else item.value()
    )
    return OneOf(
        values=tuple(option for option in options if isinstance(option, Value)),
        matchers=tuple(option for option in options if isinstance(option, Matcher)),
    )


matcher_key("one_of", lambda matcher: matcher, order=60, matcher=Part(read=_one_of, schema=_schema))
