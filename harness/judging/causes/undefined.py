"""Functions that a submission's text does not define, and what it has instead."""

import difflib
import re
from dataclasses import replace

from harness.common.escaping import plain
from harness.judging.causes.places import place_of
from harness.model.explanation.sentences import statement_of_line
from harness.model.plan import Plan
from harness.model.policy import Outline, OutlinePart
from harness.model.result import Undefined
from harness.model.verdict import Cause, Explanation, stated

_NEAR = 0.7  # similarity from 0 to 1 at which a name counts as misspelled
_NAME = re.compile(r"[^\W\d]\w*")
UNDEFINED = "undefined"  # the rule for a function that the submission's text does not define


def with_nearest(cause: Cause, name: str, outline: Outline) -> Cause:
    """Return the cause of a missing function with the part whose name may be meant, if any."""
    near = _nearest(name, outline)
    if near is None:
        return cause
    missing = f"The {_kind_of(near, outline)} {plain(name, limit=60)} is missing."
    found = cause.stating_of_line(f"{missing} {_you_have(near)}", near.first, _IS_IT_THAT)
    return replace(found, place=place_of(near))


def undefined_functions(plan: Plan, outline: Outline) -> tuple[Undefined, ...]:
    """Return the functions that scenarios call but the submission's source does not define.

    This is read from the source, so the program's behavior cannot change it.
    """
    defined = outline.names() | outline.names(callable=False)
    named: set[str] = set()
    for scenario in plan.scenarios:
        texts = " ".join(scenario.stimuli[0].source_texts())
        if scenario.function in _NAME.findall(texts):
            named.add(scenario.function)
    undefined: list[Undefined] = []
    for function in plan.assignment.functions:
        if function.name in named and function.name not in defined:
            undefined.append(_undefined(function.name, outline))
    return tuple(undefined)


def _undefined(name: str, outline: Outline) -> Undefined:
    near = _nearest(name, outline)
    message = "It is not defined in your file."
    if near is None:
        return Undefined(name=name, explanation=stated(UNDEFINED, message))
    facts = statement_of_line(f"{message} {_you_have(near)}", near.first, _IS_IT_THAT)
    explanation = Explanation(rule=UNDEFINED, facts=facts)
    return Undefined(name=name, explanation=explanation, near=place_of(near))


def _nearest(name: str, outline: Outline) -> OutlinePart | None:
    """Return the submission's function or class with the most similar name: the student may have
    misspelled it.
    """
    known = {part.name: part for part in outline.parts if part.callable}
    for near in difflib.get_close_matches(name, list(known), n=1, cutoff=_NEAR):
        return known[near]
    return None


def _kind_of(part: OutlinePart, outline: Outline) -> str:
    for member in outline.members:
        if member.name == part.name:
            return "class"
    return "function"


_IS_IT_THAT = ": is that it?"


def _you_have(part: OutlinePart) -> str:
    return f"You have {plain(part.name, limit=60)} on "
