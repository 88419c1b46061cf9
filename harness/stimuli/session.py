"""`session:` statements and the output after each, as the sheet prints them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.model.stimulus import Action, Form, StimulusParts, Typed

if TYPE_CHECKING:
    from harness.assignment.scenarios.reader import ScenarioReader


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Action):
    """A REPL session as pasted from the sheet."""

    key = "session"
    form = Form.STEPS
    takes = ("leaves", "figures")
    elsewhere = "state it in the session"
    order = 20

    steps: tuple[str, ...] = field()

    @classmethod
    def read(
        cls, reader: ScenarioReader, loc: tuple[Any, ...], inputs: tuple[Typed, ...]
    ) -> StimulusParts:
        """Read the statements, the output after each, and the typed lines among them."""
        steps = reader.session(reader.text("session"), loc)
        if not reader.states("input"):
            inputs = reader.typed_in(steps, loc)
        action = cls(steps=tuple(step.source for step in steps))
        shown = tuple("".join(step.shown) for step in steps)
        leaves = frozenset(reader.names)
        return StimulusParts(action=action, inputs=inputs, shown=shown, leaves=leaves)

    def yaml_keys(self) -> Mapping[str, str]:
        """Return the keys and values as a scenario states them."""
        text = ""
        for step in self.steps:
            continued = step.replace("\n", "\n... ")
            text += f">>> {continued}\n"
        return {"session": text}

    @property
    def in_words(self) -> str:
        """Return the session's name in a sentence."""
        return "the session"
