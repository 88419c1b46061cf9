"""`{any: true}`: any value."""

from __future__ import annotations

from harness.matchers.field import Field
from harness.matchers.registry import Part, matcher_class, matcher_key
from harness.model.expectation import Matcher
from harness.model.values import Value


@matcher_class
class AnyValue(Matcher):
    """Any value, also one that is too large to compare."""

    def accepts(self, value: Value) -> bool:
        return True

    def in_words(self, *, whole: bool = False) -> str:
        return "any value"


def _any(field: Field) -> AnyValue:
    return AnyValue() if field.data is True else field.expected("true")


matcher_key("any", lambda value: value, order=20, value=Part(read=_any, schema={"const": True}))
