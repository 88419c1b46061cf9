"""Explains failures by comparing several scenarios: a number is written in the code instead of a
constant.

Evidence counts only if another mistake is unlikely to cause it. Failing only at size 10, for
example, proves nothing: a program that reads just one digit of a number fails there too.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from harness.judging.side_by_side.boards import Cells, cells, grid_at
from harness.model.assignment import Surroundings
from harness.model.expectation import AnswerKey
from harness.model.explanation.facts import HardCoded, HardCodedSign
from harness.model.observation import Observation, StepOutcome
from harness.model.plan import Plan, Scenario
from harness.model.stimulus import Stimulus
from harness.model.values import Value, ValueKind
from harness.model.verdict import Explanation, Verdict, VerdictKind

RULE = "hard_coded_size"
MAX_LINES = 400
_MAX_TABLES = 20

Verdicts = Mapping[str, Verdict]
Observations = Mapping[str, tuple[Observation, ...]]


def refine(
    plan: Plan, verdicts: Verdicts, observations: Observations, key: AnswerKey | None
) -> dict[str, Verdict]:
    """Return the verdicts keyed by scenario id, with better explanations for hard-coded numbers.

    An explanation uses only evidence from scenarios that its readers may see. Kinds of verdicts
    never change. Without an answer key nothing changes. `observations` has one entry for each
    stimulus of the plan.
    """
    refined = dict(verdicts)
    if key is None or all(verdict.passed for verdict in verdicts.values()):
        return refined
    ranks = {scenario.id: scenario.visibility.rank for scenario in plan.scenarios}
    for rank in sorted(set(ranks.values())):
        open_verdicts = {id: verdict for id, verdict in verdicts.items() if ranks[id] <= rank}
        for id, verdict in _hard_coded(plan, open_verdicts, observations, key).items():
            if ranks[id] == rank:
                refined[id] = verdict
    return refined


@dataclass(frozen=True, slots=True, kw_only=True)
class _AtSize:
    """The result of a scenario at one value of the constant: the observation that its verdict
    shows, and the reference's.
    """

    scenario: Scenario
    size: int
    verdict: Verdict
    stimulus: Stimulus
    observation: Observation
    answer: Observation


@dataclass(frozen=True, slots=True, kw_only=True)
class _Family:
    """Scenarios that differ only in the value of `constant`.

    `default` is its value if a scenario does not change it.
    """

    constant: str
    default: int
    usual: _AtSize | None  # the scenario at the default size, if there is one
    others: tuple[_AtSize, ...]

    @property
    def right_by_default(self) -> bool:
        return self.usual is not None and self.usual.verdict.passed

    @property
    def failing(self) -> list[_AtSize]:
        """Return the scenarios that failed because of wrong behavior, not because of a limit."""
        return [trial for trial in self.others if trial.verdict.kind is VerdictKind.FAILED]

    def has_evidence(self) -> bool:
        """Return whether the observations show that the default value is written in the code as a
        number.
        """
        if self.usual is not None and not self.usual.verdict.passed:
            return False
        failing = self.failing
        if any(map(self.shows_default_board, failing)):
            return True
        if self.usual is None:
            return False
        for trial in failing:
            if self._says_default(trial, self.usual):
                return True
        return self._raises_if_smaller() or self._threshold(self.usual)

    def _raises_if_smaller(self) -> bool:
        """Return whether an index is out of range for all sizes below the default, if there are
        several.
        """
        smaller = [trial for trial in self.others if trial.size < self.default]
        sizes = {trial.size for trial in smaller}
        return len(sizes) > 1 and all(map(self.index_error_below, smaller))

    def shows_default_board(self, trial: _AtSize) -> bool:
        """Return whether a board has the default number of rows or columns instead of `size`."""
        size = trial.size
        if self.usual is None and abs(size - self.default) == 1:
            return False  # a program that is off by one would look the same
        shown_sizes = _board_sizes(trial.observation)
        right_sizes = _board_sizes(trial.answer)
        for shown, right in zip(shown_sizes, right_sizes, strict=False):
            is_of_default = self.default in shown and set(shown) <= {self.default, size}
            if is_of_default and shown != right and right == (size, size):
                return True
        return False

    def _says_default(self, trial: _AtSize, usual: _AtSize) -> bool:
        """Return whether a line contains the default number although the reference prints it only
        at the default size.
        """
        number = re.compile(rf"(?<!\d){self.default}(?!\d)")
        only_by_default = _lines(usual.answer) - _lines(trial.answer)
        for line in _lines(trial.observation) & only_by_default:
            if len(line) > 3 and number.search(line):
                return True
        return False

    def index_error_below(self, trial: _AtSize) -> bool:
        """Return whether an index is out of range on a board smaller than the default."""
        if trial.size >= self.default:
            return False
        for outcome in _outcomes(trial.observation):
            if outcome.raised is not None and outcome.raised.type_name == "IndexError":
                return True
        return False

    def _threshold(self, usual: _AtSize) -> bool:
        """Return whether a question that depends on the size is answered wrongly on one side of
        the default: at the size next to it and at another one.

        The size next to it must have the same number of digits; otherwise a program that reads only
        one digit would look the same.
        """
        smaller = [trial for trial in self.others if trial.size < self.default]
        larger = [trial for trial in self.others if trial.size >= self.default]
        for next_size, side in ((self.default - 1, smaller), (self.default + 1, larger)):
            sizes = {trial.size for trial in side}
            is_as_long = len(str(next_size)) == len(str(self.default))
            if not is_as_long or next_size not in sizes or len(sizes) < 2:
                continue
            if all(self._answers_wrongly(trial, usual) for trial in side):
                return True
        return False

    def _answers_wrongly(self, trial: _AtSize, usual: _AtSize) -> bool:
        if trial.verdict.kind is not VerdictKind.FAILED or trial.observation.raised is not None:
            return False
        stimulus = trial.stimulus
        if trial.scenario.is_sample or stimulus.action.program:
            return False
        # The question depends on the size: its input differs, or it mentions the constant.
        if stimulus.inputs != usual.stimulus.inputs:
            return True
        literals = [binding.literal for binding in stimulus.bindings]
        return any(self.constant in text for text in (*stimulus.source_texts(), *literals))


def _hard_coded(
    plan: Plan, verdicts: Verdicts, observations: Observations, key: AnswerKey
) -> dict[str, Verdict]:
    """Return new verdicts for the scenarios that fail because a number is written in the code.

    `verdicts` serve as evidence.
    """
    refined: dict[str, Verdict] = {}
    defaults = _default_numbers(plan)
    families = _families(plan, defaults, verdicts, observations, key)
    suspect: set[tuple[str, str]] = set()
    for family in families:
        if family.has_evidence():
            for trial in family.failing:
                suspect.add((trial.scenario.function, family.constant))
    right = _right_by_default(plan, defaults, verdicts)
    for family in families:
        for trial in family.failing:
            function = trial.scenario.function
            if (function, family.constant) not in suspect:
                continue
            if _has_same_cause(trial, family, right):
                explanation = _explanation(trial, family)
                refined[trial.scenario.id] = replace(trial.verdict, explanation=explanation)
    return refined


def _default_numbers(plan: Plan) -> dict[str, int]:
    """Return the integer constants in the provided files, by name."""
    defaults: dict[str, int] = {}
    for name, literal in Surroundings.of(plan.assignment).literals().items():
        value = ast.literal_eval(literal)
        if type(value) is int:
            defaults[name] = value
    return defaults


def _has_same_cause(trial: _AtSize, family: _Family, right: set[str]) -> bool:
    """Return whether a failure of a function with a hard-coded number comes from this number.

    It does if the scenario of the same group passes at the default size or, if there is none, if
    all scenarios of the function at the default size pass; `right` names these functions.
    """
    if family.usual is not None:
        return family.right_by_default
    if trial.scenario.function in right:
        return True
    return family.shows_default_board(trial) or family.index_error_below(trial)


def _explanation(trial: _AtSize, family: _Family) -> Explanation:
    facts = HardCoded(
        number=family.default,
        constant=family.constant,
        size=trial.size,
        sign=_sign(trial, family),
    )
    return Explanation(rule=RULE, facts=facts)


def _sign(trial: _AtSize, family: _Family) -> HardCodedSign:
    if family.right_by_default:
        return HardCodedSign.RIGHT_AT_DEFAULT
    if family.index_error_below(trial):
        return HardCodedSign.INDEX_ERROR
    if family.shows_default_board(trial):
        return HardCodedSign.DEFAULT_BOARD
    return HardCodedSign.RIGHT_AT_DEFAULT


def _families(
    plan: Plan,
    defaults: Mapping[str, int],
    verdicts: Verdicts,
    observations: Observations,
    key: AnswerKey,
) -> list[_Family]:
    """Return groups of scenarios that differ only in one integer constant.

    Groups with a truncated observation are left out.
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
        draws, right = observations.get(scenario.id, ()), answers.get(scenario.id, ())
        draw = verdict.draw or 0
        if draw >= min(len(scenario.stimuli), len(draws), len(right)):
            continue
        name, size = next(iter(overridden.items()), ("", 0))
        trial = _AtSize(
            scenario=scenario,
            size=size,
            verdict=verdict,
            stimulus=scenario.stimuli[draw],
            observation=draws[draw],
            answer=right[draw].observation,
        )
        if trial.observation.is_truncated:
            cut.add(scenario.group)
        if name:
            others.setdefault((scenario.group, name), []).append(trial)
        else:
            usual[scenario.group] = trial
    families: list[_Family] = []
    for (group, name), trials in others.items():
        if group in cut:
            continue
        default = defaults[name]
        family = _Family(
            constant=name, default=default, usual=usual.get(group), others=tuple(trials)
        )
        families.append(family)
    return families


def _right_by_default(plan: Plan, defaults: Mapping[str, int], verdicts: Verdicts) -> set[str]:
    """Return the functions whose scored scenarios all pass if no constant is changed."""
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
    """Return the constants that a scenario sets to a value other than the default; None if a value
    is not an integer.
    """
    overridden: dict[str, int] = {}
    if not scenario.stimuli:
        return overridden
    for binding in scenario.stimuli[0].constants:
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
    """Return (rows, columns) of the first few boards that were returned or printed."""
    tables: list[Cells] = []
    for value in _values(observation):
        table = cells(value)
        if table:
            tables.append(table)
    lines = _first_lines(observation.printed)
    index = 0
    while index < len(lines) and len(tables) < _MAX_TABLES:
        grid = grid_at(lines, index)
        if grid is None:
            index += 1
        else:
            tables.append(grid.rows)
            index = grid.start + len(grid.rows)
    sizes: list[tuple[int, int]] = []
    for rows in tables:
        widths = set(map(len, rows))
        if len(widths) == 1:
            sizes.append((len(rows), widths.pop()))
    return sizes


def _lines(observation: Observation) -> set[str]:
    """Return the first lines of all text that was printed, returned or displayed."""
    lines = set(_first_lines(observation.printed))
    for value in _values(observation):
        if value.kind is ValueKind.STR:
            lines.update(_first_lines(value.text))
    return lines


def _first_lines(text: str) -> list[str]:
    return text.split("\n", MAX_LINES)[:MAX_LINES]


def _values(observation: Observation) -> Iterator[Value]:
    """Yield the returned value and the values that a session displays."""
    for outcome in _outcomes(observation):
        if outcome.value is not None:
            yield outcome.value


def _outcomes(observation: Observation) -> Iterator[Observation | StepOutcome]:
    yield observation
    yield from observation.steps
