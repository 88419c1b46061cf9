"""`{type: float}`: any value of exactly this built-in type."""

from __future__ import annotations

from harness.common.words import listed
from harness.matchers.comparison import type_with_article
from harness.matchers.field import Field, nearest
from harness.matchers.registry import Part, matcher_class, matcher_key
from harness.model.expectation import Matcher
from harness.model.values import NAMED_CONTAINERS, Value, ValueKind

_NOT_BUILT_IN = (
    *NAMED_CONTAINERS, ValueKind.FUNCTION, ValueKind.CYCLE, ValueKind.TOO_LARGE,
    ValueKind.UNREADABLE,
)  # fmt: skip
TYPES = (*(str(kind) for kind in ValueKind if kind not in _NOT_BUILT_IN), "generator")


@matcher_class
class OfType(Matcher):
    """Any value of exactly this built-in type."""

    name: str

    def accepts(self, value: Value) -> bool:
        return value.kind is not ValueKind.TOO_LARGE and value.type_name == self.name

    def in_words(self, *, whole: bool = False) -> str:
        return type_with_article(self.name)


def _type(field: Field) -> str:
    if field.data not in TYPES:
        hint = nearest(str(field.data), TYPES) or f"types are {listed(TYPES, 'or')}"
        field.expected("the name of a built-in type", hint)
    return str(field.data)


matcher_key(
    "type", OfType, order=70, for_text=False, name=Part(read=_type, schema={"type": "string"})
)
