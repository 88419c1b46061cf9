"""`{any: true}`: any value."""

from __future__ import annotations

from dataclasses import dataclass

from harness.matchers.field import Field
from harness.matchers.registry import matcher_class, matcher_key
from harness.model.expectation import Matcher
from harness.model.values import Value


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class AnyValue(Matcher):
    """Any value, also one that is too large to compare."""

    def accepts(self, value: Value) -> bool:
        """Always true."""
        return True

    def in_words(self, *, whole: bool = False) -> str:
        """ "any value"."""
        return "any value"


@matcher_key("any", lambda _: {"any": {"const": True}}, order=20)
def _read(field: Field) -> Matcher | None:
    stated = field.at("any")
    if stated.data is True:
        return AnyValue()
    stated.refuse(f"expected true, got {stated.described()}")
    return None
