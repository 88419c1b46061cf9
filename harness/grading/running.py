"""Running a submission's scenarios: which, in what order, under which limits, and when to stop.

A submission that loops in every scenario must not cost the full limit each time. After a
function's first full-limit ending its other scenarios run under a shortened limit; what ends
there counts. If any of them ended, the program loops only sometimes, and those that did not end
run again at the full limit. If none did, they read "stopped early".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from harness.model.answer_key import AnswerKey
from harness.model.observation import Ending, Observation
from harness.model.plan import Plan, Scenario
from harness.model.stimulus import Limits, Stimulus

SHORTEST_SECONDS = 0.05
REFERENCE_FACTOR = 50

_LIMIT_ENDINGS = frozenset({Ending.CPU_LIMIT, Ending.TIMEOUT})
_LAST_DRAW_ENDINGS = _LIMIT_ENDINGS | {
    Ending.MEMORY_LIMIT,
    Ending.OUTPUT_LIMIT,
    Ending.CRASHED,
    Ending.MISSING,
}


class Observer(Protocol):
    """What runs one stimulus: a submission server."""

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        """The outcome of one stimulus under these limits."""


Recall = Callable[[Scenario], tuple[Observation, ...] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """Each scenario's observations (one a draw, fewer when a draw hit a limit), by scenario id."""

    observations: Mapping[str, tuple[Observation, ...]]
    fresh: frozenset[str]


def run_scenario(observer: Observer, scenario: Scenario, limits: Limits) -> tuple[Observation, ...]:
    """Every draw in order; a draw that hit a limit is the last, for the next would as well."""
    observed: list[Observation] = []
    for stimulus in scenario.stimuli:
        observation = observer.observe(stimulus, limits)
        observed.append(observation)
        if observation.ending in _LAST_DRAW_ENDINGS:
            break
    return tuple(observed)


def hit_limit(observations: tuple[Observation, ...]) -> bool:
    """Whether the scenario ended at a time limit."""
    return observations[-1].ending in _LIMIT_ENDINGS


def shortened(scenario: Scenario, key: AnswerKey | None) -> Limits:
    """The scenario's limits with the CPU time a right program needs, generously."""
    answers = key.answers(scenario.id) if key else ()
    needed = max((answer.observation.cpu_seconds for answer in answers), default=0.0)
    seconds = max(SHORTEST_SECONDS, REFERENCE_FACTOR * needed)
    return replace(scenario.limits, cpu_seconds=min(scenario.limits.cpu_seconds, seconds))


def run_all(
    observer: Observer,
    plan: Plan,
    key: AnswerKey | None,
    *,
    recall: Recall = lambda scenario: None,
    thorough: bool = False,
) -> Ran:
    """Run all scenarios of a plan but those whose observations `recall` still has."""
    observed: dict[str, tuple[Observation, ...]] = {}
    fresh: set[str] = set()
    looping: set[str] = set()
    postponed: dict[str, list[Scenario]] = defaultdict(list)
    ended_short: set[str] = set()
    for scenario in plan.scenarios:
        short = not thorough and scenario.function in looping
        kept = recall(scenario)
        if kept is not None:
            observed[scenario.id] = kept
            # What is remembered says as much about its function as if it had been run just now.
            if hit_limit(kept):
                looping.add(scenario.function)
            elif short:
                ended_short.add(scenario.function)
            continue
        fresh.add(scenario.id)
        limits = shortened(scenario, key) if short else scenario.limits
        outcome = observed[scenario.id] = run_scenario(observer, scenario, limits)
        if not hit_limit(outcome):
            if short:
                ended_short.add(scenario.function)
        elif short and limits != scenario.limits:
            postponed[scenario.function].append(scenario)
        else:
            looping.add(scenario.function)
    for function, scenarios in postponed.items():
        for scenario in scenarios:
            if function in ended_short:
                observed[scenario.id] = run_scenario(observer, scenario, scenario.limits)
            else:
                last = replace(observed[scenario.id][-1], ending=Ending.STOPPED_EARLY)
                observed[scenario.id] = (*observed[scenario.id][:-1], last)
    return Ran(observations=observed, fresh=frozenset(fresh))
