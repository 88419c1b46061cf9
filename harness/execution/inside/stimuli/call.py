"""Evaluates one expression of a stimulus and observes its value or its exception."""

from __future__ import annotations

from ..messages import codec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

    from ..scenario.evaluate import CompiledStimulus, EvaluationContext, StimulusAnswer


def perform(
    stimulus: CompiledStimulus,
    context: EvaluationContext,
    answer: StimulusAnswer,
    finished: Callable[[str], None],
) -> None:
    """Evaluate the expression and set `value` or `raised` in the answer, with its arguments before
    and after.

    An exception from preparing the arguments, or from describing the result, must not count as an
    exception of the call.
    """
    names = context.names
    arguments: tuple[Any, ...] = ()
    # Without `whole` and `split` the text does not compile.
    answer.reach("stimulus" if stimulus.whole else "arguments")
    try:
        if stimulus.split is None:
            value = eval(stimulus.whole or stimulus.source, names)
        else:
            function, arguments, keywords = eval(stimulus.split, names)
            if stimulus.arguments is not None:
                answer.fields["before"] = codec.encode_all(arguments, answer.budget)
            answer.reach("stimulus")
            value = function(*arguments, **keywords)
        answer.phase = "result"
        if stimulus.equals is None:
            answer.fields["value"] = codec.encode_returned(value, answer.budget)
        else:
            answer.fields["value"] = _compared(value, stimulus.equals, context, answer.budget)
    except BaseException as error:
        answer.put_raised(error)
    if "before" in answer.fields:
        answer.fields["after"] = codec.encode_all(arguments, answer.budget)


def _compared(
    value: object,
    equals: tuple[str, CodeType | None],
    context: EvaluationContext,
    budget: codec.SizeBudget,
) -> str:
    """Return the data that the parent process compares with the expected value or, for an object,
    the result of its own `==`.
    """
    text, code = equals
    expected = eval(code or text, context.names)
    if codec.is_data(expected):
        return codec.encode_data(value, budget)
    answered = codec.compared(value, expected, budget.comparison)
    return codec.encode_answer(value, "== " + text, answered, budget)
