"""`{equals: expression}`: the value's own `==` says that it equals what the expression gives.

The expression is evaluated beside the submission, with its classes, after the call: the answer of
`==` is part of what is observed of the value.
"""

from __future__ import annotations

from dataclasses import dataclass

from harness.common.escaping import plain
from harness.matchers.field import Field
from harness.matchers.registry import matcher_class, matcher_key
from harness.model.expectation import Matcher
from harness.model.values import Value, ValueKind


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class EqualTo(Matcher):
    """A value that calls itself equal to that of the expression."""

    expression: str

    def accepts(self, value: Value) -> bool:
        """Whether the last thing observed of it is that `==` answered True."""
        if value.kind is not ValueKind.OBJECT or len(value.items) < 2:
            return False
        name, answer = value.items[-2:]
        return name.text == f"== {self.expression}" and answer == Value(ValueKind.BOOL, "True")

    def in_words(self, *, whole: bool = False) -> str:
        """What it should be equal to."""
        return f"an object that is equal (==) to {plain(self.expression)}"


@matcher_key("equals", lambda _: {"equals": {"type": "string"}}, order=15, for_text=False)
def _read(field: Field) -> Matcher | None:
    if field.path[-1:] != ("returns",):
        field.refuse("equals belongs to returns of a call", of_key=True)
        return None
    expression = field.at("equals").expression()
    return None if expression is None else EqualTo(expression=expression)
