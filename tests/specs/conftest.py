"""The assignment that a module is about: its `ASSIGNMENT`; what scenarios come to."""

import ast
from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest

from harness.model.plan import Plan, Scenario, Specification
from harness.model.stimulus import Stimulus
from tests.shipped import module_of, shipped


@pytest.fixture(scope="module")
def specification(request: pytest.FixtureRequest) -> Specification:
    return shipped(request.module.ASSIGNMENT)


@pytest.fixture(scope="module")
def plan(specification: Specification) -> Plan:
    return specification.plan


def scored(plan: Plan) -> list[Scenario]:
    return [scenario for scenario in plan.scenarios if not scenario.informational]


def groups(scenarios: Iterable[Scenario]) -> dict[str, list[Scenario]]:
    """The scenarios by what they are without their swept values."""
    found: dict[str, list[Scenario]] = defaultdict(list)
    for scenario in scenarios:
        found[scenario.group].append(scenario)
    return found


def bound_names(stimulus: Stimulus) -> dict[str, Any]:
    """The values of the names that a draw binds."""
    return {each.name: ast.literal_eval(each.literal) for each in stimulus.bindings}


def provided_module(plan: Plan, stimulus: Stimulus, name: str) -> Any:
    """A provided module as the stimulus overrides it, run here."""
    files = {file.name: file.data for file in plan.assignment.variant(stimulus.constants).files}
    return module_of(name, files[f"{name}.py"].decode())


def points(plan: Plan) -> dict[str, Fraction]:
    """What each function is worth."""
    found: dict[str, Fraction] = defaultdict(Fraction)
    for scenario in scored(plan):
        found[scenario.function] += scenario.points
    return found
