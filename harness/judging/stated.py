"""What a scenario states, with every `{python: …}` replaced by what it was worth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.model.answer_key import PythonAnswer
from harness.model.errors import HarnessError
from harness.model.expectation import AllOf, Exactly, Matcher, NoneOf, PythonValue, Stated
from harness.model.values import Value


def resolve(stated: Stated, python_answers: Iterable[PythonAnswer]) -> Stated:
    """`stated` without `PythonValue`s; raise HarnessError when an answer is not there."""
    worth = {answer.expression: answer.value for answer in python_answers}
    turns, raises = stated.turns, stated.raises
    if turns is not None:
        told = tuple(replace(turn, printed=_known(turn.printed, worth)) for turn in turns.turns)
        turns = replace(turns, turns=told)
    if raises is not None and raises.message is not None:
        raises = replace(raises, message=_known(raises.message, worth))
    return replace(
        stated,
        returns=None if stated.returns is None else _known(stated.returns, worth),
        prints=None if stated.prints is None else _known(stated.prints, worth),
        turns=turns,
        raises=raises,
        leaves=tuple(replace(leave, value=_known(leave.value, worth)) for leave in stated.leaves),
    )


def _known(matcher: Matcher, worth: dict[str, Value]) -> Matcher:
    if isinstance(matcher, AllOf | NoneOf):
        return replace(matcher, matchers=tuple(_known(part, worth) for part in matcher.matchers))
    if not isinstance(matcher, PythonValue):
        return matcher
    if matcher.expression not in worth:
        raise HarnessError(f"the answer key has no value for {{python: {matcher.expression}}}")
    return Exactly(value=worth[matcher.expression])
