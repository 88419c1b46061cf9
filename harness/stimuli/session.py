"""`session:` statements and the output after each, as the sheet prints them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.model.stimulus import Action, Form, StimulusParts, Typed

if TYPE_CHECKING:
    from harness.assignment.scenarios.context import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Action):
    """A REPL session as pasted from the sheet."""

    key = "session"
    form = Form.STEPS
    takes = ("leaves",)
    elsewhere = "state it in the session"
    order = 20

    steps: tuple[str, ...] = field()

    @classmethod
    def read(
        cls, context: Context, loc: tuple[Any, ...], inputs: tuple[Typed, ...]
    ) -> StimulusParts:
        steps = context.session(context.text("session"), loc)
        if not context.states("input"):
            inputs = context.typed_in(steps, loc)
        return StimulusParts(
            action=cls(steps=tuple(step.source for step in steps)),
            inputs=inputs,
            shown=tuple("".join(step.shown) for step in steps),
            leaves=frozenset(context.names),
        )

    def yaml_keys(self) -> Mapping[str, str]:
        steps = (step.replace("\n", "\n... ") for step in self.steps)
        return {"session": "".join(f">>> {step}\n" for step in steps)}

    @property
    def in_words(self) -> str:
        return "the session"
