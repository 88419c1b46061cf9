"""`{matches: regex}`, and `{shows: words}` for a pattern that assignment.yaml gives words to."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from harness.common.escaping import quoted
from harness.matchers.comparison import normalised
from harness.matchers.field import Field
from harness.matchers.registry import matcher_class, matcher_key
from harness.matchers.search import occurs
from harness.model.expectation import Ignore, Matcher
from harness.model.values import Value, ValueKind


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class Matches(Matcher):
    """A str in which `re.search` finds the pattern.

    `words` are those that assignment.yaml has for it; "" where it has none.
    """

    pattern: str
    words: str = ""

    def accepts(self, value: Value) -> bool:
        """Whether it is a str that has the pattern; HarnessError if the search takes too long."""
        return value.kind is ValueKind.STR and occurs(self.pattern, value.text)

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        """Whether the text has the pattern; HarnessError if the search takes too long."""
        # A folded pattern would be another pattern: forgive case by the flag instead.
        others = [one for one in ignore if one is not Ignore.CASE]
        flags = re.IGNORECASE if Ignore.CASE in ignore else 0
        return occurs(self.pattern, normalised(text, others), flags)

    def in_words(self, *, whole: bool = False) -> str:
        """The assignment's words for the pattern, else the pattern itself."""
        return self.words or f"text that matches the pattern {quoted(self.pattern)}"


@matcher_key("matches", lambda _: {"matches": {"type": "string"}}, order=30)
def _read_pattern(field: Field) -> Matcher | None:
    stated = field.at("matches")
    text = stated.text()
    return None if text is None else _compiled(stated, text, "")


@matcher_key("shows", lambda _: {"shows": {"type": "string"}}, order=40)
def _read_words(field: Field) -> Matcher | None:
    stated, known = field.at("shows"), field.patterns
    words = stated.data
    if isinstance(words, str) and words in known:
        return _compiled(stated, known[words], words)
    hint = stated.nearest(known) or "describe it there: patterns: {a parting message: …}"
    stated.refuse(f"assignment.yaml has no pattern for {stated.described()}", hint)
    return None


def _compiled(field: Field, text: str, words: str) -> Matcher | None:
    pattern = field.render(text, re.escape)
    try:
        re.compile(pattern)
    except re.error as error:
        field.refuse(f"not a regular expression ({error})")
        return None
    return Matches(pattern=pattern, words=words)
