"""Values and numbers as parts of a sentence."""

from __future__ import annotations

from harness.matchers import type_with_article
from harness.model.values import Value, ValueKind


def a_type(value: Value) -> str:
    """The value's type with its article: "an int", "a list", "None"."""
    if value.kind is ValueKind.NONE:
        return "None"
    if value.kind is ValueKind.CYCLE:
        return "a value that contains itself"
    return type_with_article(value.type_name)


def count(number: int, singular: str, plural: str | None = None) -> str:
    """ "1 line", "3 lines"."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"
