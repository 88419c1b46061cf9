"""`{type: float}`: any value of exactly this built-in type."""

from __future__ import annotations

from dataclasses import dataclass

from harness.matchers.comparison import type_with_article
from harness.matchers.field import Field, listed
from harness.matchers.registry import matcher_class, matcher_key
from harness.model.expectation import Matcher
from harness.model.values import NAMED_CONTAINERS, Value, ValueKind

_NOT_BUILT_IN = (
    *NAMED_CONTAINERS, ValueKind.FUNCTION, ValueKind.CYCLE, ValueKind.TOO_LARGE,
    ValueKind.UNREADABLE,
)  # fmt: skip
TYPES = (*(str(kind) for kind in ValueKind if kind not in _NOT_BUILT_IN), "generator")


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class OfType(Matcher):
    """Any value of exactly this built-in type."""

    name: str

    def accepts(self, value: Value) -> bool:
        """Whether it has the type."""
        return value.kind is not ValueKind.TOO_LARGE and value.type_name == self.name

    def in_words(self, *, whole: bool = False) -> str:
        """The type's name with its article."""
        return type_with_article(self.name)


@matcher_key("type", lambda _: {"type": {"type": "string"}}, order=70, for_text=False)
def _read(field: Field) -> Matcher | None:
    stated = field.at("type")
    if stated.data in TYPES:
        return OfType(name=stated.data)
    hint = stated.nearest(TYPES) or f"types are {listed(TYPES)}"
    stated.refuse(f"expected the name of a built-in type, got {stated.described()}", hint)
    return None
