"""Observe a scenario draw by draw, and remember each observation's source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from harness.common.logs import logger_of
from harness.execution import Runner
from harness.model.observation import Ending, Observation, Phase
from harness.model.plan import Scenario
from harness.model.stimulus import Limits

_log = logger_of(__name__)

LIMIT_ENDINGS = frozenset({Ending.CPU_LIMIT, Ending.TIMEOUT})
# These endings do not tell whether a shared run told the truth.
SAYS_NOTHING_ALONE = LIMIT_ENDINGS | {Ending.NOT_RUN}
_LAST_DRAW_ENDINGS = LIMIT_ENDINGS | {
    Ending.MEMORY_LIMIT,
    Ending.OUTPUT_LIMIT,
    Ending.CRASHED,
    Ending.MISSING,
    Ending.NOT_RUN,
}

Observer = Runner


class Source(Enum):
    """The process that an observation comes from."""

    ALONE = "alone"  # the scenario's own process
    SHARED = "shared"  # a shared process, if it behaved exactly like the reference
    SHARED_FAILURE = "shared failure"  # a shared process, if it behaved differently
    CACHED = "cached"  # a process of an earlier grading


class StimulusId(NamedTuple):
    """The name of a stimulus in its plan."""

    scenario: str
    draw: int


class Observed(NamedTuple):
    """An observation and the process that it comes from."""

    observation: Observation
    source: Source


class DrawObserver(Protocol):
    """Observes the draws of scenarios."""

    def observe_draw(self, scenario: Scenario, index: int, limits: Limits) -> Observed:
        """Observe the draw of this index within these limits."""


# Called with each draw as it is observed; returns the observation that is kept of it.
ReceiveDraw = Callable[[Scenario, int, Observed], Observation]


@dataclass(frozen=True, slots=True)
class AloneObserver:
    """Observes each draw in its own process."""

    server: Observer

    def observe_draw(self, scenario: Scenario, index: int, limits: Limits) -> Observed:
        observation = self.server.observe(scenario.stimuli[index], limits)
        return Observed(observation, Source.ALONE)


def observe_draws(
    observer: DrawObserver,
    scenario: Scenario,
    limits: Limits,
    receive: ReceiveDraw | None = None,
) -> tuple[Observed, ...]:
    """Observe every draw in order and return what `receive` keeps of each.

    A draw that hit a limit, or whose program did not even load, is the last, because the next would
    do the same.
    """
    cpu, wall = limits.cpu_seconds, limits.wall_seconds
    _log.info("scenario %s: at most %.3f s of CPU time, %.3f s asleep", scenario.id, cpu, wall)
    draws: list[Observed] = []
    for index in range(len(scenario.stimuli)):
        observed = observer.observe_draw(scenario, index, limits)
        if receive is not None:
            kept = receive(scenario, index, observed)
            if kept is not observed.observation:
                observed = Observed(kept, observed.source)
        draws.append(observed)
        observation = observed.observation
        if observation.ending in _LAST_DRAW_ENDINGS or observation.phase is Phase.LOADING:
            break
    return tuple(draws)


def run_scenario(observer: Observer, scenario: Scenario, limits: Limits) -> tuple[Observation, ...]:
    """Observe every draw in its own process, in order and as far as `observe_draws` goes."""
    draws = observe_draws(AloneObserver(observer), scenario, limits)
    return tuple(draw.observation for draw in draws)
