"""`call:` one Python expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.model.stimulus import Action, StimulusParts, Typed, called_function

if TYPE_CHECKING:
    from harness.assignment.scenarios.reader import ScenarioReader


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Action):
    """One Python expression."""

    key = "call"
    takes = (
        *("returns", "prints", "stderr", "turns", "transcript", "raises", "leaves", "replies"),
        *("figures", "over", "occur", "all_different", "share"),
    )
    order = 10

    expression: str = field()
    equals: str = ""

    @classmethod
    def read(
        cls, reader: ScenarioReader, loc: tuple[Any, ...], inputs: tuple[Typed, ...]
    ) -> StimulusParts:
        """Read the expression and, if `equals` is stated, the value that the result is compared
        with by `==`.
        """
        text = reader.text("call")
        reader.expression(text, loc)
        leaves: frozenset[str] | None = None
        if reader.symbols.reference:
            function = called_function(text)
            leaves = frozenset(reader.symbols.parameters(function))
        if reader.states("over"):
            times = int(reader.shape.over)
            action = cls(expression=f"[{text.strip()} for _ in range({times})]")
            return StimulusParts(action=action, inputs=inputs, leaves=frozenset())
        equals = ""
        returns = reader.shape.returns
        if isinstance(returns, dict):
            equals = str(returns.get("equals", "")).strip()
        action = cls(expression=text.strip(), equals=equals)
        return StimulusParts(action=action, inputs=inputs, leaves=leaves)

    def yaml_keys(self) -> Mapping[str, str]:
        """Return the keys and values as a scenario states them."""
        return {"call": self.expression}

    def display(self, bound: Sequence[str] = ()) -> str:
        """Return the expression, with the values of its names."""
        if not bound:
            return self.expression
        return f"{self.expression}  with  {', '.join(bound)}"
