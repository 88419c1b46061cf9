"""`{all_of: […]}` and `{none_of: […]}`: what every one of some matchers accepts, or none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from harness.matchers.field import Field
from harness.matchers.registry import Schema, matcher_class, matcher_key, read
from harness.model.expectation import Ignore, Matcher
from harness.model.values import Value, ValueKind

_KEYS = ("all_of", "none_of")
_DEEPEST = 2
_MOST_NAMED = 6


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf(Matcher):
    """What every one of these accepts."""

    matchers: tuple[Matcher, ...]

    def accepts(self, value: Value) -> bool:
        """Whether every part accepts it."""
        return all(part.accepts(value) for part in self.matchers)

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        """Whether every part accepts it."""
        return all(part.accepts_text(text, ignore) for part in self.matchers)

    def in_words(self, *, whole: bool = False) -> str:
        """All parts, or the first few."""
        named = self.matchers if whole else self.matchers[:_MOST_NAMED]
        parts = (part.in_words(whole=whole) for part in named)
        return " and ".join(parts)

    def parts(self) -> tuple[Matcher, ...]:
        """The matchers that it is made of, those inside others too."""
        return tuple(part for inner in self.matchers for part in inner.parts())

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        """The first part that does not hold."""
        return next(part for part in self.matchers if not holds(part)).failing_part(holds)

    def resolved(self, python_values: Mapping[str, Value]) -> Matcher:
        """With every part resolved."""
        return AllOf(matchers=tuple(part.resolved(python_values) for part in self.matchers))


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class NoneOf(Matcher):
    """What not one of these accepts."""

    matchers: tuple[Matcher, ...]

    def accepts(self, value: Value) -> bool:
        """Whether no part accepts it; of a value too large to compare that is not known."""
        known = value.kind is not ValueKind.TOO_LARGE
        return known and not any(part.accepts(value) for part in self.matchers)

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        """Whether no part accepts it."""
        return not any(part.accepts_text(text, ignore) for part in self.matchers)

    def in_words(self, *, whole: bool = False) -> str:
        """All parts, or the first few."""
        named = self.matchers if whole else self.matchers[:_MOST_NAMED]
        parts = (part.in_words(whole=whole) for part in named)
        return "anything but " + " or ".join(parts)

    def parts(self) -> tuple[Matcher, ...]:
        """The matchers that it is made of, those inside others too."""
        return tuple(part for inner in self.matchers for part in inner.parts())

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        """None of the first part that holds."""
        held = tuple(part for part in self.matchers if holds(part))
        return replace(self, matchers=held[:1] or self.matchers)

    def resolved(self, python_values: Mapping[str, Value]) -> Matcher:
        """With every part resolved."""
        return NoneOf(matchers=tuple(part.resolved(python_values) for part in self.matchers))


def _all_of(matcher: Schema) -> Schema:
    return {"all_of": {"type": "array", "minItems": 1, "items": matcher}}


def _none_of(matcher: Schema) -> Schema:
    return {"none_of": {"type": "array", "minItems": 1, "items": matcher}}


@matcher_key("all_of", _all_of, order=900)
def _read_all_of(field: Field) -> Matcher | None:
    parts = _parts(field.at("all_of"))
    return None if parts is None else AllOf(matchers=parts)


@matcher_key("none_of", _none_of, order=910)
def _read_none_of(field: Field) -> Matcher | None:
    parts = _parts(field.at("none_of"))
    return None if parts is None else NoneOf(matchers=parts)


def _parts(field: Field) -> tuple[Matcher, ...] | None:
    data = field.data
    if not isinstance(data, list) or not data:
        got = "an empty list" if data == [] else field.described()
        field.refuse(f"expected a list of matchers, got {got}")
        return None
    if sum(key in _KEYS for key in field.path) > _DEEPEST:
        field.refuse("all_of and none_of go no deeper than one inside another", of_key=True)
        return None
    matchers = [_part(field.at(index)) for index in range(len(data))]
    known = tuple(matcher for matcher in matchers if matcher is not None)
    return known if len(known) == len(matchers) else None


def _part(field: Field) -> Matcher | None:
    if isinstance(field.data, dict):
        return read(field)
    hint = "write {contains: …} for a part of a text, {one_of: […]} for a whole value"
    field.refuse(f"expected a matcher, got {field.described()}", hint)
    return None
