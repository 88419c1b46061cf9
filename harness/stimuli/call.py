"""`call:` one Python expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.model.stimulus import Action, StimulusParts, Typed, called_function

if TYPE_CHECKING:
    from harness.assignment.scenarios.context import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Action):
    """One Python expression."""

    key = "call"
    takes = ("returns", "prints", "stderr", "turns", "transcript", "raises", "leaves", "replies")
    order = 10

    expression: str = field()
    equals: str = ""

    @classmethod
    def read(
        cls, context: Context, loc: tuple[Any, ...], inputs: tuple[Typed, ...]
    ) -> StimulusParts:
        text = context.text("call")
        context.expression(text, loc)
        leaves: frozenset[str] | None = None
        if context.vocabulary.reference:
            leaves = frozenset(context.vocabulary.parameters(called_function(text)))
        # The value's own `==` is asked.
        returns = context.own.returns
        equals = str(returns.get("equals", "")).strip() if isinstance(returns, dict) else ""
        action = cls(expression=text.strip(), equals=equals)
        return StimulusParts(action=action, inputs=inputs, leaves=leaves)

    def yaml_keys(self) -> Mapping[str, str]:
        return {"call": self.expression}

    def display(self, bound: Sequence[str] = ()) -> str:
        return f"{self.expression}  with  {', '.join(bound)}" if bound else self.expression
