"""`{approx: 3.14, within: 0.01}`: an int or float near a number."""

from __future__ import annotations

from dataclasses import dataclass

from harness.matchers.field import Field
from harness.matchers.registry import Schema, matcher_class, matcher_key
from harness.model.expectation import Matcher
from harness.model.values import Value, ValueKind

_NUMBERS = frozenset({ValueKind.INT, ValueKind.FLOAT})


@matcher_class
@dataclass(frozen=True, slots=True, kw_only=True)
class Approximately(Matcher):
    """An int or float no further than `within` away from `number`."""

    number: float
    within: float

    def accepts(self, value: Value) -> bool:
        """Whether it is such a number; `nan` never is."""
        if value.kind not in _NUMBERS:
            return False
        try:
            return abs(float(value.text) - self.number) <= self.within
        except (ValueError, OverflowError):
            return False

    def in_words(self, *, whole: bool = False) -> str:
        """The number and the distance."""
        return f"a number no more than {self.within!r} away from {self.number!r}"


def _properties(_: Schema) -> Schema:
    return {"approx": {"type": "number"}, "within": {"type": "number", "minimum": 0}}


@matcher_key("approx", _properties, order=80, for_text=False, also=("within",))
def _read(field: Field) -> Matcher | None:
    if "within" not in field.data:
        field.refuse("approx needs a within", "write {approx: 3.14, within: 0.01}")
        return None
    numbers = [field.at("approx"), field.at("within")]
    for stated in numbers:
        if isinstance(stated.data, bool) or not isinstance(stated.data, int | float):
            stated.refuse(f"expected a number, got {stated.described()}")
            return None
    number, within = (float(stated.data) for stated in numbers)
    if within < 0:
        numbers[1].refuse("expected a number that is not negative")
        return None
    return Approximately(number=number, within=within)
