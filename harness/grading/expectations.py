"""From the plan and the answer key: what each stimulus of a scenario is compared with."""

from __future__ import annotations

import ast
from functools import cache

from harness.judging import resolve
from harness.model.answer_key import Answer
from harness.model.expectation import Expectation
from harness.model.plan import Assignment, Scenario
from harness.model.stimulus import Call, Stimulus


@cache
def called_function(expression: str) -> str | None:
    """The name a plain call `name(…)` calls; None for any other expression."""
    try:
        tree = ast.parse(expression, mode="eval").body
    except SyntaxError:
        return None
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        return tree.func.id
    return None


def parameters(stimulus: Stimulus, assignment: Assignment) -> tuple[str, ...]:
    """The reference's names for a call's positional arguments; empty for other stimuli."""
    if not isinstance(stimulus.action, Call):
        return ()
    name = called_function(stimulus.action.expression)
    for function in assignment.functions:
        if function.name == name:
            return function.parameters
    return ()


def expectation(
    scenario: Scenario, stimulus: Stimulus, answer: Answer | None, assignment: Assignment
) -> Expectation:
    """What one stimulus is held to; without an answer (no reference) only what is stated."""
    return Expectation(
        stated=resolve(scenario.stated, answer.python if answer else ()),
        reference=answer.observation if answer else None,
        parameters=parameters(stimulus, assignment),
    )
