"""`{a_line: matcher}`, `{last_line: matcher}`: a str with such a line, or with such a last one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Self

from harness.matchers.kinds.combinations import AllOf
from harness.matchers.registry import MATCHER, matcher_class, matcher_key
from harness.model.expectation import Ignore, Matcher, TextMatcher
from harness.model.values import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfLines(TextMatcher):
    """What is asked of single lines, each without its line end."""

    matcher: Matcher

    def parts(self) -> tuple[Matcher, ...]:
        return (self, *self.matcher.parts())

    def resolved(self, python_values: Mapping[str, Value]) -> Self:
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
class LastLine(_OfLines):
    """A str whose last line the matcher accepts."""

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        last = text.rstrip("\n").rpartition("\n")[2]
        return self.matcher.accepts_text(last, ignore)

    def in_words(self, *, whole: bool = False) -> str:
        return self._in_words("a last line", whole=whole)

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        """The last line with the one part that does not hold for it."""
        return LastLine(
            matcher=self.matcher.failing_part(lambda part: holds(LastLine(matcher=part)))
        )


@matcher_class
class ALine(_OfLines):
    """A str with a line that the matcher accepts."""

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        return any(self.matcher.accepts_text(line, ignore) for line in lines_of(text))

    def in_words(self, *, whole: bool = False) -> str:
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


matcher_key("a_line", ALine, order=53, matcher=MATCHER)
matcher_key("last_line", LastLine, order=54, matcher=MATCHER)
