"""`{unordered: […]}`: these items in any order; `{lines_unordered: […]}`: these lines of a text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from harness.common.escaping import quoted
from harness.matchers.comparison import normalised, same, source, words_limit
from harness.matchers.field import Field
from harness.matchers.registry import matcher_class, matcher_key
from harness.model.expectation import Ignore, Matcher
from harness.model.values import Value, ValueKind

_MOST_NAMED = 6


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class Unordered(Matcher):
    """A list of these items, each as often as it is here, in any order."""

    items: tuple[Value, ...]
    within: float | None = None

    def accepts(self, value: Value) -> bool:
        """Whether it is such a list."""
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
        """The list."""
        limit = words_limit(whole=whole)
        return f"{source(Value(ValueKind.LIST, items=self.items), limit=limit)} in any order"


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class LinesUnordered(Matcher):
    """A text of these lines in any order, each with its line end."""

    lines: tuple[str, ...]

    def accepts(self, value: Value) -> bool:
        """Whether it is a str of these lines."""
        return value.kind is ValueKind.STR and self.accepts_text(value.text)

    def accepts_text(self, text: str, ignore: Collection[Ignore] = ()) -> bool:
        """Whether the text has these lines, the forgiven differences apart."""
        wanted = [normalised(line, ignore) for line in self.lines]
        *lines, rest = normalised(text, ignore).split("\n")
        return not rest and sorted(lines) == sorted(wanted)

    def in_words(self, *, whole: bool = False) -> str:
        """The lines: all of them, or the first few."""
        head = f"these {len(self.lines)} lines in any order"
        if whole:
            return "\n".join((f"{head}:", *self.lines))
        return f"{head}: " + ", ".join(quoted(line) for line in self.lines[:_MOST_NAMED])


@matcher_key("unordered", lambda _: {"unordered": {"type": "array"}}, order=61, for_text=False)
def _read_items(field: Field) -> Matcher | None:
    items = _values(field.at("unordered"))
    return None if items is None else Unordered(items=items, within=field.within)


@matcher_key(
    "lines_unordered",
    lambda _: {"lines_unordered": {"type": "array", "items": {"type": "string"}}},
    order=62,
)
def _read_lines(field: Field) -> Matcher | None:
    stated = field.at("lines_unordered")
    values = _values(stated)
    if values is None:
        return None
    for index, value in enumerate(values):
        if value.kind is not ValueKind.STR or "\n" in value.text:
            stated.at(index).refuse("expected one line of text")
            return None
    return LinesUnordered(lines=tuple(value.text for value in values))


def _values(field: Field) -> tuple[Value, ...] | None:
    if not isinstance(field.data, list):
        field.refuse(f"expected a list, got {field.described()}")
        return None
    values = [field.at(index).value() for index in range(len(field.data))]
    known = tuple(value for value in values if value is not None)
    return known if len(known) == len(values) else None
