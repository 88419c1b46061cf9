"""Explanations that need several scenarios: a number written where a constant belongs.

Evidence counts only if another mistake is unlikely to leave it. That only size 10 goes wrong, for
example, is no evidence: a program that reads one digit of a number does the same.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from harness.judging.boards import Cells, cells, grid_at
from harness.model.expectation import Answer, AnswerKey
from harness.model.observation import Observation
from harness.model.plan import Assignment, Plan, Scenario, Visibility
from harness.model.stimulus import Run, Stimulus
from harness.model.values import Value, ValueKind
from harness.model.verdict import Explanation, Verdict, VerdictKind


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
    literals = (binding.literal for binding in one.stimulus.bindings)
    names_it = any(constant in text for text in (*one.stimulus.source_texts(), *literals))
    return names_it or one.stimulus.inputs != usual.stimulus.inputs


RULE = "hard_coded_size"


def refine(
    plan: Plan,
    verdicts: Mapping[str, Verdict],
    observations: Mapping[str, tuple[Observation, ...]],
    key: AnswerKey | None,
) -> dict[str, Verdict]:
    """The verdicts by scenario id, some with a better explanation; kinds are never changed.

    `observations` has one entry a stimulus, as the plan has. Without a key nothing is refined.
    An explanation rests on scenarios that everybody may see who may see its own.
    """
    refined = dict(verdicts)
    if key is None or all(verdict.passed for verdict in verdicts.values()):
        return refined
    soonest = tuple(Visibility)
    seen_from = {scenario.id: soonest.index(scenario.visibility) for scenario in plan.scenarios}
    for now in sorted(set(seen_from.values())):
        open_now = {name: each for name, each in verdicts.items() if seen_from[name] <= now}
        explained = _hard_coded(plan, open_now, observations, key)
        refined |= {name: each for name, each in explained.items() if seen_from[name] == now}
    return refined


def _hard_coded(
    plan: Plan,
    verdicts: Mapping[str, Verdict],
    observations: Mapping[str, tuple[Observation, ...]],
    key: AnswerKey,
) -> dict[str, Verdict]:
    """The verdicts of scenarios that fail because a number is written out, with that explanation;
    `verdicts` are those that may count as evidence."""
    refined: dict[str, Verdict] = {}
    swept = families(plan, verdicts, observations, key)
    suspect = {
        (one.scenario.function, family.constant)
        for family in swept
        if has_evidence(family)
        for one in failing(family)
    }
    right = right_by_default(plan, verdicts)
    for family in swept:
        for one in failing(family):
            # In a function that has a number written out, its other failures at other sizes
            # have the same cause, where the default size passes: in the same group, or, where the
            # group is not tried at that size, in all of the function's scenarios.
            function = one.scenario.function
            is_right = family.right_by_default or (family.usual is None and function in right)
            if (function, family.constant) in suspect and (is_right or _itself(one, family)):
                refined[one.scenario.id] = replace(
                    one.verdict, explanation=_explanation(one, family)
                )
    return refined


def _itself(one: AtSize, family: Family) -> bool:
    if family.usual is not None:
        return False
    return shows_default_board(one, family) or index_error_below(one, family)


def _explanation(one: AtSize, family: Family) -> Explanation:
    name, default = family.constant, family.default
    seen = f"it is right when {name} is {default} and wrong when it is {one.size}"
    if not family.right_by_default:
        if shows_default_board(one, family):
            seen = f"it shows a board of that size though {name} is {one.size}"
        if index_error_below(one, family):
            seen = f"an index is out of range when {name} is {one.size}"
    message = f"This looks hard-coded to {default}: {seen}; use {name} in place of the number."
    return Explanation(rule=RULE, message=message)


MOST_LINES = 400


def has_evidence(family: Family) -> bool:
    """Whether a family's observations show that the default was written out."""
    if family.usual is not None and not family.usual.verdict.passed:
        return False
    if any(shows_default_board(one, family) for one in failing(family)):
        return True
    if family.usual is None:
        return False
    return (
        any(_says_default(one, family.usual, family) for one in failing(family))
        or _index_errors_below(family)
        or _threshold(family, family.usual)
    )


def failing(family: Family) -> tuple[AtSize, ...]:
    """The family's scenarios that failed by what they did, and not by a limit."""
    return tuple(one for one in family.others if one.verdict.kind is VerdictKind.FAILED)


def shows_default_board(one: AtSize, family: Family) -> bool:
    """A board with as many rows or columns as by default, where there should be `size` of them."""
    if family.usual is None and abs(one.size - family.default) == 1:
        return False  # off by one would look the same
    wanted = _board_sizes(one.answer)
    return any(
        shown != should and _fits(shown, should, one.size, family.default)
        for shown, should in zip(_board_sizes(one.observation), wanted, strict=False)
    )


def _fits(shown: tuple[int, int], should: tuple[int, int], size: int, default: int) -> bool:
    return should == (size, size) and default in shown and set(shown) <= {default, size}


def _board_sizes(observation: Observation) -> list[tuple[int, int]]:
    """Rows and columns of the boards returned and shown, the first few."""
    values = [observation.value, *(step.value for step in observation.steps)]
    tables = [cells(value) for value in values if value is not None]
    lines = observation.printed.split("\n", MOST_LINES)[:MOST_LINES]
    index = 0
    while index < len(lines) and len(tables) < 20:
        grid = grid_at(lines, index)
        if grid is not None:
            tables.append(grid.rows)
            index = grid.start + len(grid.rows)
        else:
            index += 1
    return [size for table in tables if table and (size := _size(table))]


def _size(table: Cells) -> tuple[int, int] | None:
    widths = {len(row) for row in table}
    return (len(table), widths.pop()) if len(widths) == 1 else None


def _says_default(one: AtSize, usual: AtSize, family: Family) -> bool:
    """A line with the default number in it, which the reference says at the default size only."""
    number = re.compile(rf"(?<!\d){family.default}(?!\d)")
    only_by_default = _lines(usual.answer) - _lines(one.answer)
    lines = _lines(one.observation) & only_by_default
    return any(number.search(line) and len(line) > 3 for line in lines)


def _lines(observation: Observation) -> set[str]:
    lines = set(observation.printed.split("\n", MOST_LINES)[:MOST_LINES])
    for value in (observation.value, *(step.value for step in observation.steps)):
        if isinstance(value, Value) and value.kind is ValueKind.STR:
            lines.update(value.text.split("\n", MOST_LINES)[:MOST_LINES])
    return lines


def _index_errors_below(family: Family) -> bool:
    """Every smaller size, two at least, ends in an index that is out of range."""
    smaller = [one for one in family.others if one.size < family.default]
    return len({one.size for one in smaller}) > 1 and all(
        index_error_below(one, family) for one in smaller
    )


def index_error_below(one: AtSize, family: Family) -> bool:
    """Whether an index is out of range on a board smaller than by default."""
    seen = one.observation
    raises = [seen.raised, *(step.raised for step in seen.steps)]
    return one.size < family.default and any(
        raised is not None and raised.type_name == "IndexError" for raised in raises
    )


def _threshold(family: Family, usual: AtSize) -> bool:
    """A question that moves with the size is answered wrongly on one side of the default size,
    at the size next to it and at another.

    The next size must have as many digits, or to read one digit only would look the same.
    """
    for next_size in (family.default - 1, family.default + 1):
        side = [
            one
            for one in family.others
            if (one.size < family.default) == (next_size < family.default)
        ]
        sizes = {one.size for one in side}
        if next_size not in sizes or len(sizes) < 2:
            continue
        if len(str(next_size)) == len(str(family.default)) and all(
            _answers_wrongly(one, usual, family.constant) for one in side
        ):
            return True
    return False


def _answers_wrongly(one: AtSize, usual: AtSize, constant: str) -> bool:
    return (
        one.verdict.kind is VerdictKind.FAILED
        and one.observation.raised is None
        and not one.scenario.is_sample
        and not isinstance(one.stimulus.action, Run)
        and moves_with(one, usual, constant)
    )
