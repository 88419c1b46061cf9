"""Matchers made of others: `one_of`, `all_of`, `none_of`; `a_line` and `last_line` of a text."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

from harness.matchers.comparison import same, source
from harness.matchers.kinds import MATCHER, read, read_matcher
from harness.matchers.kinds.values import Exactly
from harness.matchers.reading import Field, Part, Schema, as_read, matcher_key, read_all
from harness.model.expectation import EXACT, Floats, Matcher, TextMatcher, TextRules
from harness.model.values import Value, ValueKind

_LONGEST_NAMED = 40  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf(Matcher):
    """One of these values, or what one of these matchers accepts."""

    values: tuple[Value, ...]
    matchers: tuple[Matcher, ...] = ()
    floats: Floats | None = None

    def accepts(self, value: Value) -> bool:
        return any(same(candidate, value, self.floats) for candidate in self.values) or any(
            matcher.accepts(value) for matcher in self.matchers
        )

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        every = (*(Exactly(value=value) for value in self.values), *self.matchers)
        return any(matcher.accepts_text(text, rules) for matcher in every)

    def in_words(self, *, whole: bool = False) -> str:
        named = [source(each, limit=_LONGEST_NAMED, whole=whole) for each in self.values]
        named += [matcher.in_words(whole=whole) for matcher in self.matchers]
        if not whole and len(named) > _MOST_NAMED:
            named[_MOST_NAMED:] = ["…"]
        return f"one of {', '.join(named)}"


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


ONE_OF = matcher_key("one_of", as_read, matcher=Part(read=_one_of, schema=_schema))


_COMBINED = ("all_of", "none_of")
_DEEPEST = 2
_MOST_NAMED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Combination(Matcher):
    matchers: tuple[Matcher, ...]

    def _in_words(self, between: str, *, whole: bool) -> str:
        named = self.matchers if whole else self.matchers[:_MOST_NAMED]
        return between.join(part.in_words(whole=whole) for part in named)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf(_Combination):
    """What every one of these accepts."""

    def accepts(self, value: Value) -> bool:
        return all(part.accepts(value) for part in self.matchers)

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        return all(part.accepts_text(text, rules) for part in self.matchers)

    def in_words(self, *, whole: bool = False) -> str:
        return self._in_words(" and ", whole=whole)

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        return next(part for part in self.matchers if not holds(part)).failing_part(holds)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoneOf(_Combination):
    """What not one of these accepts; of a value too large to compare that is not known."""

    def accepts(self, value: Value) -> bool:
        known = value.kind is not ValueKind.TOO_LARGE
        return known and not any(part.accepts(value) for part in self.matchers)

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        return not any(part.accepts_text(text, rules) for part in self.matchers)

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
    if sum(key in _COMBINED for key in field.path) > _DEEPEST:
        field.refuse("all_of and none_of go no deeper than one inside another", of_key=True)
    return read_all(field.items(), read_matcher)


_MATCHERS = Part(
    read=_matchers, schema=lambda matcher: {"type": "array", "minItems": 1, "items": matcher}
)
ALL_OF = matcher_key("all_of", AllOf, matchers=_MATCHERS)
NONE_OF = matcher_key("none_of", NoneOf, matchers=_MATCHERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfLines(TextMatcher):
    """The conditions on single lines, each without its line end."""

    line: ClassVar[str]  # in words, with its article

    matcher: Matcher

    def in_words(self, *, whole: bool = False) -> str:
        if isinstance(self.matcher, AllOf):
            parts = [part.in_words(whole=whole) for part in self.matcher.matchers]
            return f"{self.line} that {' and '.join(map(_clause, parts))}"
        words = self.matcher.in_words(whole=whole)
        if words.startswith("text "):
            return words.replace("text", self.line, 1)
        return f"{self.line} that is {words}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LastLine(_OfLines):
    """A str whose last line the matcher accepts."""

    line = "a last line"

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        return self.matcher.accepts_text(last_line_of(text), rules)

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        """The last line with the one part that does not hold for it."""
        part = self.matcher.failing_part(lambda one: holds(LastLine(matcher=one)))
        return LastLine(matcher=part)


@dataclass(frozen=True, slots=True, kw_only=True)
class ALine(_OfLines):
    """A str with a line that the matcher accepts."""

    line = "a line"

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        return any(self.matcher.accepts_text(line, rules) for line in lines_of(text))

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        """The one part that no line has; itself where each part has a line, but no line has all."""
        parts = self.matcher.matchers if isinstance(self.matcher, AllOf) else ()
        alone = (ALine(matcher=part) for part in parts)
        return next((line for line in alone if not holds(line)), self)


def last_line_of(text: str) -> str:
    """Return the last line of a text that is not empty, without its end."""
    return text.rstrip("\n").rpartition("\n")[2]


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends; what follows the last end is a line if not empty."""
    return text.removesuffix("\n").split("\n") if text else []


def _clause(words: str) -> str:
    """What a text is, as said of a line: `contains "tries"`, `has the number 3`."""
    if words.startswith("text that "):
        return words.removeprefix("text that ")
    if words.startswith("text with "):
        return f"has {words.removeprefix('text with ')}"
    return f"is {words}"


A_LINE = matcher_key("a_line", ALine, matcher=MATCHER)
LAST_LINE = matcher_key("last_line", LastLine, matcher=MATCHER)
