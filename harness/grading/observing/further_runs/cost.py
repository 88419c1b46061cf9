"""Counts the lines that a right answer runs, if the scenario limits their growth."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from harness.grading.observing.draws import Observer, run_scenario
from harness.grading.observing.truncating import truncated
from harness.judging.causes.deriving import COSTS_TOO_MUCH
from harness.judging.growth import grows_within
from harness.judging.judge import out_of_budget
from harness.model.explanation.facts import GrowsTooFast, LinesOfSize
from harness.model.observation import Ending, Observation
from harness.model.plan import Scenario
from harness.model.verdict import Explanation, Verdict, VerdictKind, stated

_SLOWER = 40  # times as long as without counting a program may take
_UNCOUNTED = (
    "The answer is right, but the lines cannot be counted: then the program behaves differently, "
    "takes too long or stops the counting."
)


def cost_verdict(
    scenario: Scenario, server: Observer, observations: tuple[Observation, ...]
) -> Verdict | None:
    """Return the verdict that the scenario costs too much, although its answers `observations` are
    right.

    Return None if it does not, or if the scenario sets no limit.
    """
    limit = scenario.cost
    if limit is None:
        return None
    stimuli = tuple(replace(stimulus, counts_lines=True) for stimulus in scenario.stimuli)
    slowed = replace(scenario.limits, cpu_seconds=_SLOWER * scenario.limits.cpu_seconds)
    run = run_scenario(server, replace(scenario, stimuli=stimuli), slowed)
    if run[-1].ending is Ending.HARNESS_ERROR:
        return Verdict(kind=VerdictKind.HARNESS_ERROR)
    if run[-1].ending is Ending.NOT_RUN:
        return out_of_budget()
    lines = [observation.lines for observation in run if observation.lines is not None]
    answered = tuple(truncated(replace(observation, lines=None)) for observation in run)
    if len(lines) < len(observations) or answered != tuple(map(truncated, observations)):
        return _failed(stated(COSTS_TOO_MUCH, _UNCOUNTED), scenario)
    if grows_within(limit.growth, lines):
        return None
    *_, before, last = lines
    counts = tuple(map(_lines_of_size, limit.sizes, lines))
    times = Fraction(last, max(1, before))
    facts = GrowsTooFast(asked=limit.growth.value, counts=counts, times=times)
    return _failed(Explanation(rule=COSTS_TOO_MUCH, facts=facts), scenario)


def _lines_of_size(size: int, lines: int) -> LinesOfSize:
    return LinesOfSize(size=size, lines=lines)


def _failed(explanation: Explanation, scenario: Scenario) -> Verdict:
    explained = replace(explanation, hint=scenario.hint)
    return Verdict(kind=VerdictKind.FAILED, explanation=explained)
