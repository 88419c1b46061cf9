"""`{approx: 3.14, within: 0.01}`: an int or float near a number."""

from __future__ import annotations

from harness.matchers.field import Field
from harness.matchers.registry import NUMBER, Part, matcher_class, matcher_key, read_number
from harness.model.expectation import Matcher
from harness.model.values import Value, ValueKind

_NUMBERS = frozenset({ValueKind.INT, ValueKind.FLOAT})


@matcher_class
class Approximately(Matcher):
    """An int or float no further than `within` away from `number`; `nan` never is."""

    number: float
    within: float

    def accepts(self, value: Value) -> bool:
        if value.kind not in _NUMBERS:
            return False
        try:
            return abs(float(value.text) - self.number) <= self.within
        except (ValueError, OverflowError):
            return False

    def in_words(self, *, whole: bool = False) -> str:
        return f"a number no more than {self.within!r} away from {self.number!r}"


def _distance(field: Field) -> float:
    number = read_number(field)
    return number if number >= 0 else field.refuse("expected a number that is not negative")


matcher_key(
    "approx",
    Approximately,
    order=80,
    for_text=False,
    example="{approx: 3.14, within: 0.01}",
    number=NUMBER,
    within=Part(read=_distance, schema={"type": "number", "minimum": 0}),
)
