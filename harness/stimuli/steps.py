"""`steps:` statements and calls in one namespace, each with its expected effects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.model.stimulus import StimulusParts, Typed
from harness.stimuli.session import Session

if TYPE_CHECKING:
    from harness.assignment.scenarios.reader import ScenarioReader


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps(Session):
    """The steps of a session in YAML, each with its result, output or exception."""

    key = "steps"
    noun = "list of steps"
    elsewhere = "state it in a step"
    order = 21

    steps: tuple[str, ...] = field()

    @classmethod
    def read(
        cls, reader: ScenarioReader, loc: tuple[Any, ...], inputs: tuple[Typed, ...]
    ) -> StimulusParts:
        """Read the statements. Their expectations are read with all others."""
        action = cls(steps=reader.written_steps(loc))
        return StimulusParts(action=action, inputs=inputs, leaves=frozenset(reader.names))
