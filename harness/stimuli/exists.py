"""`exists:` and `class:` a name that the submission must define, and its signature."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.model.stimulus import Action, StimulusParts, Typed

if TYPE_CHECKING:
    from harness.assignment.scenarios.reader import ScenarioReader

_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exists(Action):
    """The name of a function, a class or a method that the submission must define."""

    key = "exists"
    noun = "name"
    takes = ("parameters", "attributes")
    elsewhere = "write a call to test its behaviour"
    order = 40

    expression: str = field()

    @classmethod
    def read(
        cls, reader: ScenarioReader, loc: tuple[Any, ...], inputs: tuple[Typed, ...]
    ) -> StimulusParts:
        """Read the name; a method is written as `Class.method`."""
        name = reader.text(cls.key).strip()
        if _NAME.fullmatch(name) is None:
            what = f"expected a name like add_student or Pet.feed, got {name!r}"
            reader.refuse(loc, what, "write a call to test its behaviour")
        reader.expression(name, loc)
        return StimulusParts(action=cls(expression=name), inputs=inputs)

    def yaml_keys(self) -> Mapping[str, str]:
        """Return the keys and values as a scenario states them."""
        return {self.key: self.expression}

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the statement that shows the signature."""
        return (f"help({self.expression})",)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingClass(Exists):
    """The name of a class that the submission must define."""

    key = "class"
    noun = "class"
    order = 41

    expression: str = field()
