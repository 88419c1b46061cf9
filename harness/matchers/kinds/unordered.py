"""`{unordered: […]}`: these items in any order; `{lines_unordered: […]}`: these lines of a text."""

from __future__ import annotations

from collections.abc import Collection

from harness.common.escaping import quoted
from harness.matchers.comparison import normalised, same, source, words_limit
from harness.matchers.field import Field
from harness.matchers.registry import VALUES, Part, matcher_class, matcher_key, read_values
from harness.model.expectation import Ignore, Matcher, TextMatcher
from harness.model.values import Value, ValueKind

_MOST_NAMED = 6


@matcher_class
class Unordered(Matcher):
    """A list of these items, each as often as it is here, in any order."""

    items: tuple[Value, ...]
    within: float | None = None

    def accepts(self, value: Value) -> bool:
        if value.kind is not ValueKind.LIST or len(value.items) != len(self.items):
            return False
        left = list(self.items)
        for item in value.items:
            at = next((i for i, one in enumerate(left) if same(one, item, self.within)), None)
            if at is None:
                return False
            del left[at]
        return True

    def in_words(self, *, whole: bool = False) -> str:
        limit = words_limit(whole=whole)
        return f"{source(Value(ValueKind.LIST, items=self.items), limit=limit)} in any order"


@matcher_class
class LinesUnordered(TextMatcher):
    """A text of these lines in any order, each with its line end."""

    lines: tuple[str, ...]

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        expected = [normalised(line, ignore) for line in self.lines]
        *lines, rest = normalised(text, ignore).split("\n")
        return not rest and sorted(lines) == sorted(expected)

    def in_words(self, *, whole: bool = False) -> str:
        head = f"these {len(self.lines)} lines in any order"
        if whole:
            return "\n".join((f"{head}:", *self.lines))
        return f"{head}: " + ", ".join(quoted(line) for line in self.lines[:_MOST_NAMED])


def _lines(field: Field) -> tuple[str, ...]:
    values = read_values(field)
    for index, value in enumerate(values):
        if value.kind is not ValueKind.STR or "\n" in value.text:
            field.at(index).refuse("expected one line of text")
    return tuple(value.text for value in values)


matcher_key("unordered", Unordered, order=61, for_text=False, items=VALUES)
matcher_key(
    "lines_unordered",
    LinesUnordered,
    order=62,
    lines=Part(read=_lines, schema={"type": "array", "items": {"type": "string"}}),
)
