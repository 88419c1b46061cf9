"""What a submission that loops may cost, and how that is shared out over its scenarios.

Everything here is decided from the plan and the reference's times, never from how long the
submission took: the same submission meets the same limits in every run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harness.model.expectation import AnswerKey, ScenarioAnswers
from harness.model.observation import Ending, Observation
from harness.model.plan import Plan, Scenario
from harness.model.stimulus import Limits

# The shortened limit, as long as the budget allows: CPU seconds, and times the reference's own.
SHORTEST_SECONDS = 0.05
REFERENCE_FACTOR = 50
# And below this it never comes. A right program's process takes one to two milliseconds.
LOWEST_SECONDS = 0.008
LOWEST_FACTOR = 3
LOWEST_WALL_SECONDS = 0.25
# In full limits, of the twenty that may be spent. The rest is for scenarios of functions that are
# known to end, for the milliseconds until a process is killed, and for our own processes: the
# driver's terminal alone takes a millisecond and a half a scenario.
BUDGET = 10
FOR_SHORTENED = 6  # of those at most for limits above the lowest, less what full limits took
LEAST_SHARE = 0.25  # of the budget for full limits, however many scenarios there are

LIMIT_ENDINGS = frozenset({Ending.CPU_LIMIT, Ending.TIMEOUT})
_SAYS_NOTHING = LIMIT_ENDINGS | {Ending.MISSING, Ending.HARNESS_ERROR}


def hit_limit(observations: tuple[Observation, ...]) -> bool:
    """Whether the scenario ended at a time limit."""
    return observations[-1].ending in LIMIT_ENDINGS


def came_to_an_end(observations: tuple[Observation, ...]) -> bool:
    """Whether any of a scenario's draws shows that the function can end by itself."""
    return any(observation.ending not in _SAYS_NOTHING for observation in observations)


class LoopingBudget:
    """Of one run of a plan: what may be spent on scenarios that do not end."""

    def __init__(self, plan: Plan, key: AnswerKey | None) -> None:
        answers = key.scenarios if key else ()
        self._needed = {entry.scenario_id: _longest(entry) for entry in answers}
        self._endless = {entry.scenario_id for entry in answers if _hits_limit(entry)}
        longest = max((one.limits.cpu_seconds for one in plan.scenarios), default=0.0)
        # A scenario with a limit far above the assignment's can have it all, and a witness too.
        whole = max(BUDGET * plan.assignment.limits.cpu_seconds, 2 * longest)
        # Every scenario must be tried, if only so long; what is over may go to full limits.
        over = whole - LOWEST_SECONDS * len(plan.scenarios)
        self._left_for_full = max(over, whole * LEAST_SHARE)
        self._left = whole * FOR_SHORTENED / BUDGET

    def is_endless(self, scenario: Scenario) -> bool:
        """Whether the reference itself runs into a limit there, as it then should."""
        return scenario.id in self._endless

    def affords_full(self, scenario: Scenario) -> bool:
        """Whether one more scenario may run into its full limit."""
        return scenario.limits.cpu_seconds <= self._left_for_full

    def spend_full(self, scenario: Scenario) -> None:
        """Count a scenario that runs into its full limit."""
        self._left_for_full -= scenario.limits.cpu_seconds
        self._left -= scenario.limits.cpu_seconds

    def shortened(self, scenarios: Iterable[Scenario]) -> dict[str, Limits]:
        """Limits by scenario id under which all of these together stay within what is left.

        With enough left that is the greater of 0.05 s and 50 times the reference's CPU seconds;
        with less, all are lowered alike towards what a right program needs at the least.
        """
        bounds = {one.id: self._bounds(one) for one in scenarios}
        lowest = sum(low for low, _ in bounds.values())
        spare = sum(high for _, high in bounds.values()) - lowest
        share = min(1.0, max(0.0, (self._left - lowest) / spare)) if spare else 1.0
        return {
            one.id: _within(one.limits, low + share * (high - low))
            for one in scenarios
            for low, high in [bounds[one.id]]
        }

    def _bounds(self, scenario: Scenario) -> tuple[float, float]:
        needed = self._needed.get(scenario.id, 0.0)
        most = scenario.limits.cpu_seconds
        low = min(most, max(LOWEST_SECONDS, LOWEST_FACTOR * needed))
        return low, min(most, max(SHORTEST_SECONDS, REFERENCE_FACTOR * needed))


def _longest(answers: ScenarioAnswers) -> float:
    return max((answer.observation.cpu_seconds for answer in answers.answers), default=0.0)


def _hits_limit(answers: ScenarioAnswers) -> bool:
    return any(answer.observation.ending in LIMIT_ENDINGS for answer in answers.answers)


def _within(limits: Limits, cpu_seconds: float) -> Limits:
    """These limits with less CPU time, and as much less time to sleep."""
    asleep = limits.wall_seconds * cpu_seconds / limits.cpu_seconds
    wall = min(limits.wall_seconds, max(LOWEST_WALL_SECONDS, asleep))
    return replace(limits, cpu_seconds=cpu_seconds, wall_seconds=wall)
