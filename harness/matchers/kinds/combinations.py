"""`{all_of: […]}` and `{none_of: […]}`: what every one of some matchers accepts, or none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Self

from harness.matchers.field import Field, read_all
from harness.matchers.registry import Part, matcher_class, matcher_key, read_matcher
from harness.model.expectation import Ignore, Matcher
from harness.model.values import Value, ValueKind

_KEYS = ("all_of", "none_of")
_DEEPEST = 2
_MOST_NAMED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Combination(Matcher):
    matchers: tuple[Matcher, ...]

    def parts(self) -> tuple[Matcher, ...]:
        return tuple(part for inner in self.matchers for part in inner.parts())

    def resolved(self, python_values: Mapping[str, Value]) -> Self:
        inner = tuple(part.resolved(python_values) for part in self.matchers)
        return replace(self, matchers=inner)

    def _in_words(self, between: str, *, whole: bool) -> str:
        named = self.matchers if whole else self.matchers[:_MOST_NAMED]
        return between.join(part.in_words(whole=whole) for part in named)


@matcher_class
class AllOf(_Combination):
    """What every one of these accepts."""

    def accepts(self, value: Value) -> bool:
        return all(part.accepts(value) for part in self.matchers)

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        return all(part.accepts_text(text, ignore) for part in self.matchers)

    def in_words(self, *, whole: bool = False) -> str:
        return self._in_words(" and ", whole=whole)

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        return next(part for part in self.matchers if not holds(part)).failing_part(holds)


@matcher_class
class NoneOf(_Combination):
    """What not one of these accepts; of a value too large to compare that is not known."""

    def accepts(self, value: Value) -> bool:
        known = value.kind is not ValueKind.TOO_LARGE
        return known and not any(part.accepts(value) for part in self.matchers)

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        return not any(part.accepts_text(text, ignore) for part in self.matchers)

    def in_words(self, *, whole: bool = False) -> str:
        return f"anything but {self._in_words(' or ', whole=whole)}"

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        """None of the first part that holds."""
        held = tuple(part for part in self.matchers if holds(part))
        return replace(self, matchers=held[:1] or self.matchers)


def _matchers(field: Field) -> tuple[Matcher, ...]:
    if field.data == []:
        field.refuse("expected a list of matchers, got an empty list")
    if not isinstance(field.data, list):
        field.expected("a list of matchers")
    if sum(key in _KEYS for key in field.path) > _DEEPEST:
        field.refuse("all_of and none_of go no deeper than one inside another", of_key=True)
    return read_all(field.items(), read_matcher)


_MATCHERS = Part(
    read=_matchers, schema=lambda matcher: {"type": "array", "minItems": 1, "items": matcher}
)
matcher_key("all_of", AllOf, order=900, matchers=_MATCHERS)
matcher_key("none_of", NoneOf, order=910, matchers=_MATCHERS)
