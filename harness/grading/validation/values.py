"""Values of the reference's that are compared in a way that a lecturer should know of. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from harness.grading.validation.report import Problem
from harness.matchers import EqualTo
from harness.model.expectation import Answer, AnswerKey
from harness.model.plan import Plan, Scenario, SourceFile
from harness.model.values import Value, ValueKind

_NOISE = 12  # digits: a float that is shorter when rounded to so many was computed


def value_problems(
    plan: Plan, key: AnswerKey, reference: tuple[SourceFile, ...]
) -> tuple[Problem, ...]:
    """Scenarios that return or leave an object of a class that the spec does not say how to
    compare, and those with floats that are exact to the last digit of a computation."""
    known = {each.name for each in plan.assignment.compare}
    bases = _bases(reference)
    problems: list[Problem] = []
    for scenario in plan.scenarios if key.scenarios else ():
        asked = isinstance(scenario.stated.returns, EqualTo)  # by its own ==
        values = [
            value
            for answer in key.answers(scenario.id)
            for value in _values(answer)
            if not (asked and value is answer.observation.value)
        ]
        names = {value.text for value in values if value.kind is ValueKind.OBJECT}
        for name in sorted(names):
            if not known & {name, *_above(name, bases)}:
                what = f"{scenario.id} compares every public attribute of {name}"
                hint = f"compare: {{{name}: [its attributes]}}, or attributes, in assignment.yaml"
                problems.append(_problem("objects", scenario, f"{what}; say so: {hint}"))
        if plan.assignment.floats_within is None and not _is_stated(scenario):
            noisy = next((value for value in values if _is_noisy(value)), None)
            if noisy is not None:
                what = f"{scenario.id} asks for exactly {noisy.text}"
                hint = "compare with a tolerance: floats: {within: 0.000001} in assignment.yaml"
                problems.append(_problem("floats", scenario, f"{what}; {hint}"))
    return tuple(problems)


def _problem(check: str, scenario: Scenario, message: str) -> Problem:
    return Problem(check=check, place=str(scenario.place), message=message)


def _is_stated(scenario: Scenario) -> bool:
    stated = (scenario.stated, *scenario.stated_cases)
    return any(each.returns is not None for each in stated)


def _values(answer: Answer) -> Iterator[Value]:
    """Every value that is compared, and all parts of each."""
    seen = answer.observation
    pending = [value for value in (seen.value, *(step.value for step in seen.steps)) if value]
    pending += [*seen.arguments, *(variable.value for variable in seen.variables)]
    while pending:
        value = pending.pop()
        yield value
        pending += value.items


def _is_noisy(value: Value) -> bool:
    if value.kind is not ValueKind.FLOAT:
        return False
    short = repr(round(float(value.text), _NOISE)) if value.text[-1:].isdigit() else value.text
    return len(value.text) - len(short) > 2 and len(short) < _NOISE


def _bases(reference: Iterable[SourceFile]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for file in reference:
        if not file.name.endswith(".py"):
            continue
        for node in ast.walk(ast.parse(file.data)):
            if isinstance(node, ast.ClassDef):
                found[node.name] = [base.id for base in node.bases if isinstance(base, ast.Name)]
    return found


def _above(name: str, bases: dict[str, list[str]]) -> set[str]:
    found: set[str] = set()
    pending = list(bases.get(name, ()))
    while pending:
        base = pending.pop()
        if base not in found:
            found.add(base)
            pending += bases.get(base, ())
    return found
