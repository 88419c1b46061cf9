"""`{a_line: matcher}`, `{last_line: matcher}`: a str with such a line, or with such a last one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Self

from harness.matchers.field import Field
from harness.matchers.kinds.combinations import AllOf
from harness.matchers.registry import Schema, matcher_class, matcher_key, read
from harness.model.expectation import Ignore, Matcher
from harness.model.values import Value, ValueKind


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfLines(Matcher):
    """What is asked of single lines, each without its line end."""

    matcher: Matcher

    def accepts(self, value: Value) -> bool:
        """Whether it is a str with such a line."""
        return value.kind is ValueKind.STR and self.accepts_text(value.text)

    def parts(self) -> tuple[Matcher, ...]:
        """Itself, and the matchers of the line."""
        return (self, *self.matcher.parts())

    def resolved(self, python_values: Mapping[str, Value]) -> Self:
        """With the line's matcher resolved."""
        return replace(self, matcher=self.matcher.resolved(python_values))

    def _in_words(self, line: str, *, whole: bool) -> str:
        if isinstance(self.matcher, AllOf):
            parts = [part.in_words(whole=whole) for part in self.matcher.matchers]
            return f"{line} that {' and '.join(map(_clause, parts))}"
        words = self.matcher.in_words(whole=whole)
        if words.startswith("text "):
            return words.replace("text", line, 1)
        return f"{line} that is {words}"


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class LastLine(_OfLines):
    """A str whose last line the matcher accepts."""

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        """Whether its last line is accepted, the forgiven differences apart."""
        last = text.rstrip("\n").rpartition("\n")[2]
        return self.matcher.accepts_text(last, ignore)

    def in_words(self, *, whole: bool = False) -> str:
        """What is asked of the line."""
        return self._in_words("a last line", whole=whole)

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        """The last line with the one part that does not hold for it."""
        return LastLine(
            matcher=self.matcher.failing_part(lambda part: holds(LastLine(matcher=part)))
        )


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class ALine(_OfLines):
    """A str with a line that the matcher accepts."""

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        """Whether one of its lines is accepted, the forgiven differences apart."""
        return any(self.matcher.accepts_text(line, ignore) for line in lines_of(text))

    def in_words(self, *, whole: bool = False) -> str:
        """What is asked of the line."""
        return self._in_words("a line", whole=whole)

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        """The one part that no line has; itself where each part has a line, but no line has all."""
        if isinstance(self.matcher, AllOf):
            for part in self.matcher.matchers:
                alone = ALine(matcher=part)
                if not holds(alone):
                    return alone
        return self


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


def _matcher(stated: Field) -> Matcher | None:
    if isinstance(stated.data, dict):
        return read(stated)
    hint = "write {contains: …} or {number: …}"
    stated.refuse(f"expected a matcher, got {stated.described()}", hint)
    return None


def _a_line(matcher: Schema) -> Schema:
    return {"a_line": matcher}


def _last_line(matcher: Schema) -> Schema:
    return {"last_line": matcher}


@matcher_key("a_line", _a_line, order=53)
def _read_a_line(field: Field) -> Matcher | None:
    matcher = _matcher(field.at("a_line"))
    return None if matcher is None else ALine(matcher=matcher)


@matcher_key("last_line", _last_line, order=54)
def _read_last_line(field: Field) -> Matcher | None:
    matcher = _matcher(field.at("last_line"))
    return None if matcher is None else LastLine(matcher=matcher)
