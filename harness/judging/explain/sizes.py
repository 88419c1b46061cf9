"""Scenarios of one group at different values of one constant, next to its value by default."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from harness.model.expectation import Answer, AnswerKey
from harness.model.observation import Observation
from harness.model.plan import Assignment, Plan, Scenario
from harness.model.stimulus import Stimulus
from harness.model.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class AtSize:
    """One scenario as it went: the observation that its verdict shows, and the reference's."""

    scenario: Scenario
    size: int
    verdict: Verdict
    stimulus: Stimulus
    observation: Observation
    answer: Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A group swept over `constant`, whose value is `default` where nothing overrides it.

    `usual` is the scenario at the default value, where the group has one.
    """

    constant: str
    default: int
    usual: AtSize | None
    others: tuple[AtSize, ...]

    @property
    def right_by_default(self) -> bool:
        """Whether the group has a scenario at the default value and it passes."""
        return self.usual is not None and self.usual.verdict.passed


def families(
    plan: Plan,
    verdicts: Mapping[str, Verdict],
    observations: Mapping[str, tuple[Observation, ...]],
    key: AnswerKey,
) -> tuple[Family, ...]:
    """The plan's groups in which exactly one whole-numbered constant varies at a time, but for
    those with an observation that is cut."""
    defaults = _defaults(plan.assignment)
    answers = {entry.scenario_id: entry.answers for entry in key.scenarios}
    usual: dict[str, AtSize] = {}
    others: dict[tuple[str, str], list[AtSize]] = {}
    cut: set[str] = set()
    for scenario in plan.scenarios:
        overridden = _unusual(scenario, defaults)
        verdict = verdicts.get(scenario.id)
        if verdict is None or overridden is None or len(overridden) > 1:
            continue
        name, size = next(iter(overridden.items()), ("", 0))
        seen = observations.get(scenario.id, ())
        one = _at_size(scenario, size, verdict, seen, answers.get(scenario.id, ()))
        if one is None:
            continue
        if one.observation.cut:
            cut.add(scenario.group)
        if name:
            others.setdefault((scenario.group, name), []).append(one)
        else:
            usual[scenario.group] = one
    return tuple(
        Family(constant=name, default=defaults[name], usual=usual.get(group), others=tuple(members))
        for (group, name), members in others.items()
        if group not in cut
    )


def right_by_default(plan: Plan, verdicts: Mapping[str, Verdict]) -> frozenset[str]:
    """The functions of which every graded scenario without an unusual constant passes."""
    defaults = _defaults(plan.assignment)
    passes: dict[str, bool] = {}
    for scenario in plan.scenarios:
        verdict = verdicts.get(scenario.id)
        if verdict is None or scenario.informational or _unusual(scenario, defaults) != {}:
            continue
        passes[scenario.function] = passes.get(scenario.function, True) and verdict.passed
    return frozenset(function for function, right in passes.items() if right)


def _at_size(
    scenario: Scenario,
    size: int,
    verdict: Verdict,
    seen: tuple[Observation, ...],
    answers: tuple[Answer, ...],
) -> AtSize | None:
    index = verdict.draw or 0
    if index >= min(len(scenario.stimuli), len(seen), len(answers)):
        return None
    return AtSize(
        scenario=scenario,
        size=size,
        verdict=verdict,
        stimulus=scenario.stimuli[index],
        observation=seen[index],
        answer=answers[index].observation,
    )


def _unusual(scenario: Scenario, defaults: Mapping[str, int]) -> dict[str, int] | None:
    """The constants that have another value than by default; None when one is no whole number."""
    overridden: dict[str, int] = {}
    for binding in scenario.stimuli[0].constants if scenario.stimuli else ():
        value = _whole(binding.literal)
        if value is None or binding.name not in defaults:
            return None
        if value != defaults[binding.name]:
            overridden[binding.name] = value
    return overridden


def _whole(literal: str) -> int | None:
    try:
        value = ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        return None
    return value if type(value) is int else None


def _defaults(assignment: Assignment) -> dict[str, int]:
    """The whole numbers that the provided files bind at their top level."""
    constants: dict[str, int] = {}
    for file in assignment.variants[0].files if assignment.variants else ():
        if not file.name.endswith(".py"):
            continue
        try:
            body = ast.parse(file.data).body
        except (SyntaxError, ValueError):
            continue
        for node in body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AnnAssign):
                targets = [node.target]
            value = getattr(node, "value", None)
            if isinstance(value, ast.Constant) and type(value.value) is int:
                for target in targets:
                    if isinstance(target, ast.Name):
                        constants[target.id] = value.value
    return constants


def moves_with(one: AtSize, usual: AtSize, constant: str) -> bool:
    """Whether the question itself moves with the size: it names the constant, or other lines
    are typed."""
    return one.stimulus.inputs != usual.stimulus.inputs or _speaks_of(one.stimulus, constant)


def _speaks_of(stimulus: Stimulus, constant: str) -> bool:
    sources = [*stimulus.source_texts(), *(binding.literal for binding in stimulus.bindings)]
    return any(constant in source for source in sources)
