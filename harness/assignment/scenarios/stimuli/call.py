"""`call:` one Python expression."""

from __future__ import annotations

from harness.assignment.document import Loc
from harness.assignment.scenarios.context import Context
from harness.assignment.scenarios.stimulus import StimulusKind, StimulusParts
from harness.model.stimulus import Call, Typed, called_function


def _read(context: Context, loc: Loc, inputs: tuple[Typed, ...]) -> StimulusParts:
    text = context.text("call")
    context.expression(text, loc)
    leaves: frozenset[str] | None = None
    if context.vocabulary.reference:
        leaves = frozenset(context.vocabulary.parameters(called_function(text)))
    # The value's own `==` is asked.
    returns = context.own.returns
    equals = str(returns.get("equals", "")).strip() if isinstance(returns, dict) else ""
    action = Call(expression=text.strip(), equals=equals)
    return StimulusParts(action=action, inputs=inputs, leaves=leaves)


CALL = StimulusKind(
    name="call",
    description="One Python expression.",
    takes=("returns", "prints", "stderr", "turns", "transcript", "raises", "leaves", "replies"),
    read=_read,
    order=10,
)
