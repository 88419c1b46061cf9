"""Explanations that need several scenarios: a number written where a constant belongs. Evidence
counts only if another mistake is unlikely to leave it: that only size 10 goes wrong is none, for a
program that reads one digit of a number does the same."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from harness.judging.boards import Cells, cells, grid_at
from harness.model.assignment import Surroundings
from harness.model.expectation import AnswerKey
from harness.model.explanation.facts import HardCoded, HardCodedSign
from harness.model.observation import Observation
from harness.model.plan import Plan, Scenario
from harness.model.stimulus import Stimulus
from harness.model.values import ValueKind
from harness.model.verdict import Explanation, Verdict, VerdictKind

RULE = "hard_coded_size"
MOST_LINES = 400
_MOST_TABLES = 20

Verdicts = Mapping[str, Verdict]
Observations = Mapping[str, tuple[Observation, ...]]


def refine(
    plan: Plan, verdicts: Verdicts, observations: Observations, key: AnswerKey | None
) -> dict[str, Verdict]:
    """Return the verdicts by scenario id, some with a better explanation.

    It rests only on scenarios that every reader of the explained one may see. Kinds never change,
    and without a key nothing does. `observations` has one entry a stimulus, as the plan has.
    """
    refined = dict(verdicts)
    if key is None or all(verdict.passed for verdict in verdicts.values()):
        return refined
    seen_from = {scenario.id: scenario.visibility.rank for scenario in plan.scenarios}
    for now in sorted(set(seen_from.values())):
        open_now = {name: each for name, each in verdicts.items() if seen_from[name] <= now}
        for name, verdict in _hard_coded(plan, open_now, observations, key).items():
            if seen_from[name] == now:
                refined[name] = verdict
    return refined


@dataclass(frozen=True, slots=True, kw_only=True)
class _AtSize:
    """One scenario as it went: the observation that its verdict shows, and the reference's."""

    scenario: Scenario
    size: int
    verdict: Verdict
    stimulus: Stimulus
    observation: Observation
    answer: Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class _Family:
    """A group swept over `constant`, whose value is `default` without an override."""

    constant: str
    default: int
    usual: _AtSize | None  # the scenario at the default value, where the group has one
    others: tuple[_AtSize, ...]

    @property
    def right_by_default(self) -> bool:
        return self.usual is not None and self.usual.verdict.passed

    @property
    def failing(self) -> list[_AtSize]:
        """Return the scenarios that failed by their behaviour and not by a limit."""
        return [one for one in self.others if one.verdict.kind is VerdictKind.FAILED]

    def has_evidence(self) -> bool:
        """Return whether the observations show that the default was written out."""
        if self.usual is not None and not self.usual.verdict.passed:
            return False
        if any(self.shows_default_board(one) for one in self.failing):
            return True
        if self.usual is None:
            return False
        smaller = [one for one in self.others if one.size < self.default]
        several = len({one.size for one in smaller}) > 1
        return (
            any(self._says_default(one, self.usual) for one in self.failing)
            or (several and all(self.index_error_below(one) for one in smaller))
            or self._threshold(self.usual)
        )

    def shows_default_board(self, one: _AtSize) -> bool:
        """Return whether a board has as many rows or columns as by default, instead of `size`."""
        if self.usual is None and abs(one.size - self.default) == 1:
            return False  # off by one would look the same
        sizes = {self.default, one.size}
        both = zip(_board_sizes(one.observation), _board_sizes(one.answer), strict=False)
        for shown, should in both:
            is_of_default = self.default in shown and set(shown) <= sizes
            if is_of_default and shown != should and should == (one.size, one.size):
                return True
        return False

    def _says_default(self, one: _AtSize, usual: _AtSize) -> bool:
        """Return whether a line has the default number, which the reference says only at the
        default size.
        """
        number = re.compile(rf"(?<!\d){self.default}(?!\d)")
        lines = _lines(one.observation) & (_lines(usual.answer) - _lines(one.answer))
        return any(number.search(line) and len(line) > 3 for line in lines)

    def index_error_below(self, one: _AtSize) -> bool:
        """Return whether an index is out of range on a board smaller than by default."""
        seen = one.observation
        raises = [seen.raised, *(step.raised for step in seen.steps)]
        types = [raised.type_name for raised in raises if raised is not None]
        return one.size < self.default and "IndexError" in types

    def _threshold(self, usual: _AtSize) -> bool:
        """Return whether a question that moves with the size is answered wrongly on one side of
        the default size, at the size next to it and at another.

        The next size must have as many digits, or reading only one digit would look the same.
        """
        for next_size in (self.default - 1, self.default + 1):
            below = next_size < self.default
            side = [one for one in self.others if (one.size < self.default) == below]
            sizes = {one.size for one in side}
            as_long = len(str(next_size)) == len(str(self.default))
            are_tried = as_long and next_size in sizes and len(sizes) > 1
            if are_tried and all(self._answers_wrongly(one, usual) for one in side):
                return True
        return False

    def _answers_wrongly(self, one: _AtSize, usual: _AtSize) -> bool:
        # The question itself moves: it names the constant, or other lines are typed.
        literals = (binding.literal for binding in one.stimulus.bindings)
        names_it = any(self.constant in text for text in (*one.stimulus.source_texts(), *literals))
        return (
            one.verdict.kind is VerdictKind.FAILED
            and one.observation.raised is None
            and not one.scenario.is_sample
            and not one.stimulus.action.program
            and (names_it or one.stimulus.inputs != usual.stimulus.inputs)
        )


def _hard_coded(
    plan: Plan, verdicts: Verdicts, observations: Observations, key: AnswerKey
) -> dict[str, Verdict]:
    """Return the verdicts of those that fail because a number is written out; `verdicts` are
    evidence.
    """
    refined: dict[str, Verdict] = {}
    literals = Surroundings.of(plan.assignment).literals()
    values = {name: ast.literal_eval(literal) for name, literal in literals.items()}
    # The whole numbers that the provided files bind at their top level.
    defaults = {name: value for name, value in values.items() if type(value) is int}
    families = _families(plan, defaults, verdicts, observations, key)
    suspect: set[tuple[str, str]] = set()
    for family in families:
        if family.has_evidence():
            suspect.update((one.scenario.function, family.constant) for one in family.failing)
    right = _right_by_default(plan, defaults, verdicts)
    for family in families:
        for one in family.failing:
            # In a function that has a number written out, its other failures at other sizes
            # have the same cause, where the default size passes: in the same group, or, where the
            # group is not tried at that size, in all of the function's scenarios.
            function = one.scenario.function
            is_right = family.right_by_default
            if family.usual is None:
                itself = family.shows_default_board(one) or family.index_error_below(one)
                is_right = function in right or itself
            if is_right and (function, family.constant) in suspect:
                explanation = _explanation(one, family)
                refined[one.scenario.id] = replace(one.verdict, explanation=explanation)
    return refined


def _explanation(one: _AtSize, family: _Family) -> Explanation:
    facts = HardCoded(
        number=family.default,
        constant=family.constant,
        size=one.size,
        sign=_sign(one, family),
    )
    return Explanation(rule=RULE, facts=facts)


def _sign(one: _AtSize, family: _Family) -> HardCodedSign:
    if family.right_by_default:
        return HardCodedSign.RIGHT_AT_DEFAULT
    if family.index_error_below(one):
        return HardCodedSign.INDEX_ERROR
    if family.shows_default_board(one):
        return HardCodedSign.DEFAULT_BOARD
    return HardCodedSign.RIGHT_AT_DEFAULT


def _families(
    plan: Plan,
    defaults: Mapping[str, int],
    verdicts: Verdicts,
    observations: Observations,
    key: AnswerKey,
) -> list[_Family]:
    """Return the groups that vary one whole number at a time, without those with a truncated
    observation.
    """
    answers = {entry.scenario_id: entry.answers for entry in key.scenarios}
    usual: dict[str, _AtSize] = {}
    others: dict[tuple[str, str], list[_AtSize]] = {}
    cut: set[str] = set()
    for scenario in plan.scenarios:
        overridden = _unusual(scenario, defaults)
        verdict = verdicts.get(scenario.id)
        if verdict is None or overridden is None or len(overridden) > 1:
            continue
        seen, right = observations.get(scenario.id, ()), answers.get(scenario.id, ())
        draw = verdict.draw or 0
        if draw >= min(len(scenario.stimuli), len(seen), len(right)):
            continue
        name, size = next(iter(overridden.items()), ("", 0))
        one = _AtSize(
            scenario=scenario,
            size=size,
            verdict=verdict,
            stimulus=scenario.stimuli[draw],
            observation=seen[draw],
            answer=right[draw].observation,
        )
        if one.observation.cut:
            cut.add(scenario.group)
        if name:
            others.setdefault((scenario.group, name), []).append(one)
        else:
            usual[scenario.group] = one
    families: list[_Family] = []
    for (group, name), ones in others.items():
        if group not in cut:
            family = _Family(
                constant=name,
                default=defaults[name],
                usual=usual.get(group),
                others=tuple(ones),
            )
            families.append(family)
    return families


def _right_by_default(plan: Plan, defaults: Mapping[str, int], verdicts: Verdicts) -> set[str]:
    """Return the functions whose graded scenarios without an unusual constant all pass."""
    functions: set[str] = set()
    wrong: set[str] = set()
    for scenario in plan.scenarios:
        verdict = verdicts.get(scenario.id)
        if verdict is None or scenario.informational or _unusual(scenario, defaults) != {}:
            continue
        functions.add(scenario.function)
        if not verdict.passed:
            wrong.add(scenario.function)
    return functions - wrong


def _unusual(scenario: Scenario, defaults: Mapping[str, int]) -> dict[str, int] | None:
    """Return the constants with another value than by default; None if one is not a whole
    number.
    """
    overridden: dict[str, int] = {}
    for binding in scenario.stimuli[0].constants if scenario.stimuli else ():
        try:
            value = ast.literal_eval(binding.literal)
        except (ValueError, SyntaxError):
            return None
        if type(value) is not int or binding.name not in defaults:
            return None
        if value != defaults[binding.name]:
            overridden[binding.name] = value
    return overridden


def _board_sizes(observation: Observation) -> list[tuple[int, int]]:
    """Return rows and columns of the boards returned and shown, the first few."""
    tables: list[Cells] = []
    for value in (observation.value, *(step.value for step in observation.steps)):
        table = cells(value) if value else None
        if table:
            tables.append(table)
    lines = observation.printed.split("\n", MOST_LINES)[:MOST_LINES]
    index = 0
    while index < len(lines) and len(tables) < _MOST_TABLES:
        grid = grid_at(lines, index)
        if grid is not None:
            tables.append(grid.rows)
        index = index + 1 if grid is None else grid.start + len(grid.rows)
    return [(len(rows), len(rows[0])) for rows in tables if len({len(row) for row in rows}) == 1]


def _lines(observation: Observation) -> set[str]:
    texts = [observation.printed]
    for value in (observation.value, *(step.value for step in observation.steps)):
        if value and value.kind is ValueKind.STR:
            texts.append(value.text)
    lines: set[str] = set()
    for text in texts:
        lines.update(text.split("\n", MOST_LINES)[:MOST_LINES])
    return lines
