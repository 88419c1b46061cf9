"""`{last_line: matcher}`: a str whose last line the matcher accepts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from harness.matchers.field import Field
from harness.matchers.registry import Schema, matcher_class, matcher_key, read
from harness.model.expectation import Ignore, Matcher
from harness.model.values import Value, ValueKind


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class LastLine(Matcher):
    """A str whose last line, without the line end, the matcher accepts."""

    matcher: Matcher

    def accepts(self, value: Value) -> bool:
        """Whether it is a str with such a last line."""
        return value.kind is ValueKind.STR and self.accepts_text(value.text)

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        """Whether its last line is accepted, the forgiven differences apart."""
        last = text.rstrip("\n").rpartition("\n")[2]
        return self.matcher.accepts_text(last, ignore)

    def in_words(self, *, whole: bool = False) -> str:
        """What is asked of the line."""
        words = self.matcher.in_words(whole=whole)
        if words.startswith("text "):
            return words.replace("text", "a last line", 1)
        return f"a last line that is {words}"

    def parts(self) -> tuple[Matcher, ...]:
        """Itself, and the matchers of the line."""
        return (self, *self.matcher.parts())

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        """The last line with the one part that does not hold for it."""
        return LastLine(
            matcher=self.matcher.failing_part(lambda part: holds(LastLine(matcher=part)))
        )

    def resolved(self, python_values: Mapping[str, Value]) -> Matcher:
        """With the line's matcher resolved."""
        return LastLine(matcher=self.matcher.resolved(python_values))


def _schema(matcher: Schema) -> Schema:
    return {"last_line": matcher}


@matcher_key("last_line", _schema, order=54)
def _read(field: Field) -> Matcher | None:
    stated = field.at("last_line")
    if not isinstance(stated.data, dict):
        hint = "write {contains: …} or {number: …}"
        stated.refuse(f"expected a matcher, got {stated.described()}", hint)
        return None
    matcher = read(stated)
    return None if matcher is None else LastLine(matcher=matcher)
