"""A scenario's settings: its own, else those at the head of its file.

`given` and `constants` add to the head's, `limits` are merged key by key; every other key of a
scenario takes the place of the head's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from harness.assignment.document import Document, Loc
from harness.assignment.shape_checks import describe
from harness.assignment.shapes import LimitsShape, ScenarioShape, Settings
from harness.model.plan import Visibility
from harness.model.stimulus import Limits

_FRACTION = re.compile(r"[0-9]+(?:\.[0-9]+|/[0-9]*[1-9][0-9]*)?\Z")
_VISIBILITY: dict[Any, Visibility] = {
    True: Visibility.VISIBLE,
    False: Visibility.HIDDEN,
    "after_due_date": Visibility.AFTER_DUE_DATE,
    "after_published": Visibility.AFTER_PUBLISHED,
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The settings in force for one scenario, and where each is stated.

    `broken` are the keys (also unknown ones) that have a mistake already and are left out.
    """

    head: Settings
    own: ScenarioShape
    loc: Loc
    broken: frozenset[Any] = frozenset()

    def states(self, key: str) -> bool:
        """Whether the scenario itself states the key."""
        return key in self.own.model_fields_set

    def value(self, key: str) -> Any:
        """The scenario's value, else the head's, else the default."""
        return getattr(self.own if self.states(key) else self.head, key)

    def where(self, key: str) -> Loc:
        """Where that value stands (the scenario itself if nowhere)."""
        if self.states(key):
            return (*self.loc, key)
        return (key,) if key in self.head.model_fields_set else self.loc

    def layers(self, key: str) -> Iterable[tuple[Loc, Any]]:
        """The head's value, then the scenario's, each where it is stated."""
        if key in self.head.model_fields_set:
            yield (key,), getattr(self.head, key)
        if self.states(key):
            yield (*self.loc, key), getattr(self.own, key)

    @property
    def visibility(self) -> Visibility:
        """Who may see the scenario."""
        return _VISIBILITY[self.value("visible")]

    def limits(self, base: Limits) -> Limits:
        """The limits in force over the assignment's."""
        for shape in (self.head.limits, self.own.limits):
            base = merged(base, shape)
        return base


def merged(base: Limits, shape: LimitsShape) -> Limits:
    """`base` with the keys that the shape states."""
    changes: dict[str, Any] = {name: getattr(shape, name) for name in shape.model_fields_set}
    return replace(base, **changes)


def fraction(document: Document, loc: Loc, data: Any) -> Fraction | None:
    """An exact positive number, from the scalar as it was written; None with a mistake."""
    if isinstance(data, int | float | str) and not isinstance(data, bool):
        raw = document.raw(loc)
        if _FRACTION.match(raw) and Fraction(raw) > 0:
            return Fraction(raw)
    what = f'expected a positive number or a fraction like "1/3", got {describe(data)}'
    document.add(loc, what)
    return None
