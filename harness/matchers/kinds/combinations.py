"""Matchers made of other matchers:

`one_of`, `all_of`, `none_of`; `a_line` and `last_line` for text.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from harness.matchers.comparison import source
from harness.matchers.kinds import MATCHER, read, read_matcher
from harness.matchers.kinds.values import Exactly
from harness.matchers.reading import Part, Schema, YamlNode, as_read, matcher_key, read_all
from harness.model.expectation import EXACT, Floats, Matcher, TextMatcher, TextRules
from harness.model.values import Value, ValueKind

_MAX_NAMED = 6
_MAX_NAMED_LENGTH = 40  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOf(Matcher):
    """One of these values, or a value that one of these matchers accepts."""

    values: tuple[Value, ...]
    matchers: tuple[Matcher, ...] = ()
    floats: Floats | None = None

    def accepts(self, value: Value) -> bool:
        return any(option.accepts(value) for option in self._options())

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        return any(option.accepts_text(text, rules) for option in self._options())

    def _options(self) -> Iterator[Matcher]:
        """Yield a matcher for each value, then the given matchers."""
        for value in self.values:
            yield Exactly(value=value, floats=self.floats)
        yield from self.matchers

    def in_words(self, *, whole: bool = False) -> str:
        named: list[str] = []
        for value in self.values:
            named.append(source(value, limit=_MAX_NAMED_LENGTH, whole=whole))
        for matcher in self.matchers:
            named.append(matcher.in_words(whole=whole))
        if not whole and len(named) > _MAX_NAMED:
            named[_MAX_NAMED:] = ["…"]
        return f"one of {', '.join(named)}"


def _schema(matcher: Schema) -> Schema:
    plain = {"type": ["string", "number", "boolean", "null", "array"]}
    return {"type": "array", "minItems": 1, "items": {"anyOf": [plain, matcher]}}


def _one_of(field: YamlNode) -> OneOf:
    if not isinstance(field.data, list) or not field.data:
        field.expected("a list of values")
    values: list[Value] = []
    matchers: list[Matcher] = []
    for option in read_all(field.items(), _option):
        if isinstance(option, Value):
            values.append(option)
        else:
            matchers.append(option)
    return OneOf(values=tuple(values), matchers=tuple(matchers))


def _option(field: YamlNode) -> Value | Matcher:
    if isinstance(field.data, dict):
        return read(field)
    return field.value()


ONE_OF = matcher_key("one_of", as_read, matcher=Part(read=_one_of, schema=_schema))


_COMBINED = ("all_of", "none_of")
_MAX_DEPTH = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Combination(Matcher):
    matchers: tuple[Matcher, ...]

    def _in_words(self, between: str, *, whole: bool) -> str:
        named = self.matchers
        if not whole:
            named = named[:_MAX_NAMED]
        return between.join(part.in_words(whole=whole) for part in named)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf(_Combination):
    """A value that all of these matchers accept."""

    def accepts(self, value: Value) -> bool:
        return all(part.accepts(value) for part in self.matchers)

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        return all(part.accepts_text(text, rules) for part in self.matchers)

    def in_words(self, *, whole: bool = False) -> str:
        return self._in_words(" and ", whole=whole)

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        for part in self.matchers:
            if not holds(part):
                return part.failing_part(holds)
        raise ValueError("text that fits all parts")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoneOf(_Combination):
    """A value that none of these matchers accepts.

    A value that is too large to compare is not accepted either.
    """

    def accepts(self, value: Value) -> bool:
        if value.kind is ValueKind.TOO_LARGE:
            return False
        return not any(part.accepts(value) for part in self.matchers)

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        return not any(part.accepts_text(text, rules) for part in self.matchers)

    def in_words(self, *, whole: bool = False) -> str:
        return f"anything but {self._in_words(' or ', whole=whole)}"

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        """Return `none_of` with only the first matcher for which `holds` is true."""
        for part in self.matchers:
            if holds(part):
                return replace(self, matchers=(part,))
        return self


def _matchers(field: YamlNode) -> tuple[Matcher, ...]:
    if field.data == []:
        field.refuse("expected a list of matchers, got an empty list")
    if not isinstance(field.data, list):
        field.expected("a list of matchers")
    combinations = [key for key in field.path if key in _COMBINED]
    if len(combinations) > _MAX_DEPTH:
        field.refuse("all_of and none_of can be nested only once", key=True)
    return read_all(field.items(), read_matcher)


_MATCHERS = Part(
    read=_matchers, schema=lambda matcher: {"type": "array", "minItems": 1, "items": matcher}
)
ALL_OF = matcher_key("all_of", AllOf, matchers=_MATCHERS)
NONE_OF = matcher_key("none_of", NoneOf, matchers=_MATCHERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfLines(TextMatcher):
    """Base class of matchers for single lines, which are compared without their line ends."""

    line: ClassVar[str]  # description with its article, such as "a line"

    matcher: Matcher

    def in_words(self, *, whole: bool = False) -> str:
        if isinstance(self.matcher, AllOf):
            clauses = [_clause(part.in_words(whole=whole)) for part in self.matcher.matchers]
            return f"{self.line} that {' and '.join(clauses)}"
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
        """Return only the part of the matcher that the last line does not meet."""
        failing = self.matcher.failing_part(lambda part: holds(LastLine(matcher=part)))
        return LastLine(matcher=failing)


@dataclass(frozen=True, slots=True, kw_only=True)
class ALine(_OfLines):
    """A str in which the matcher accepts some line."""

    line = "a line"

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        return any(self.matcher.accepts_text(line, rules) for line in lines_of(text))

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        """Return the part of the matcher that no line meets; the whole matcher if each part is met
        by some line.
        """
        if isinstance(self.matcher, AllOf):
            for part in self.matcher.matchers:
                of_part = ALine(matcher=part)
                if not holds(of_part):
                    return of_part
        return self


def last_line_of(text: str) -> str:
    """Return the last non-empty line of a text, without its line end."""
    _, _, last = text.rstrip("\n").rpartition("\n")
    return last


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without line ends; unfinished text at the end is a line too."""
    if not text:
        return []
    return text.removesuffix("\n").split("\n")


def _clause(words: str) -> str:
    """Return a matcher's description for use after "a line that":

    `contains "tries"`, `has the number 3`.
    """
    if words.startswith("text that "):
        return words.removeprefix("text that ")
    if words.startswith("text with "):
        return f"has {words.removeprefix('text with ')}"
    return f"is {words}"


A_LINE = matcher_key("a_line", ALine, matcher=MATCHER)
LAST_LINE = matcher_key("last_line", LastLine, matcher=MATCHER)
