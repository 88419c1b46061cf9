"""Runs a session: several steps in one namespace.

Observes each step, and the variables afterwards.
"""

from __future__ import annotations

from _json import encode_basestring_ascii as quote

from ..messages import codec
from ..messages.exceptions import describe
from ..scenario.evaluate import run_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..scenario.evaluate import CompiledStimulus, EvaluationContext, StimulusAnswer

_MAX_SHOWN = 10_000  # characters of a `repr`


def perform(
    stimulus: CompiledStimulus,
    context: EvaluationContext,
    answer: StimulusAnswer,
    finished: Callable[[str], None],
) -> None:
    """Run the steps in one namespace. Call `finished` with each step's outcome as JSON."""
    answer.reach("stimulus")
    for step in stimulus.steps:
        outcome = "{}"
        try:
            if (value := run_step(step, context.names)) is not None:
                outcome = _display(value, answer.budget)
        except BaseException as error:
            outcome = '{"raised":' + describe(error, answer.sources) + "}"
        finished(outcome)
    answer.fields["variables"] = context.variables(answer.budget)


def _display(value: object, budget: codec.SizeBudget) -> str:
    """Return a step's value and, if it contains objects, the text that an interactive Python would
    show.
    """
    met = budget.objects
    encoded = '{"value":' + codec.encode(value, budget)
    if budget.objects == met:
        return encoded + "}"
    text = codec.without_addresses(repr(value))[:_MAX_SHOWN]
    return encoded + ',"shown":' + quote(budget.spend(text)) + "}"
