"""Compares the time of a right answer with the reference's, if the scenario asks for speed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from harness.execution import AnyDriver
from harness.grading.observing.budget import calibrated
from harness.grading.observing.draws import Observer, run_scenario
from harness.grading.observing.setup import GraderSetup
from harness.grading.observing.truncating import truncated
from harness.judging.causes.deriving import TOO_SLOW
from harness.judging.judge import out_of_budget
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Scenario, SourceFile
from harness.model.verdict import Verdict, VerdictKind, stated

TRIES = 3  # of a submission that must be fast
MIN_SECONDS = 0.02  # the reference counts as no faster: an empty process takes 0.002


@dataclass(slots=True, kw_only=True)
class SpeedTrials:
    """Measures submissions beside the reference, which runs in its own server."""

    setup: GraderSetup
    driver: AnyDriver
    stack: ExitStack  # holds the reference's server from its first use on
    server: Observer | None = None
    seconds: dict[str, float] = field(default_factory=dict)  # of the reference, by scenario id

    def verdict(
        self, scenario: Scenario, server: Observer, observations: tuple[Observation, ...]
    ) -> Verdict | None:
        """Return the verdict that the scenario took too long, although its answers `observations`
        are right.

        Return None if the scenario was fast enough. Return None also if that is unknown: if there
        is no reference, or in the portable tier, in which processes report their own time.
        """
        files = self.setup.speed_reference
        if not scenario.faster_than or not files or self.driver.tier is Tier.PORTABLE:
            return None
        reference = self._opened(files)
        needed = self.seconds.get(scenario.id)
        run = observations
        for attempt in range(TRIES):
            if attempt:
                run = run_scenario(server, scenario, scenario.limits)
            if run[-1].ending is Ending.HARNESS_ERROR:
                return Verdict(kind=VerdictKind.HARNESS_ERROR)
            if run[-1].ending is Ending.NOT_RUN:
                return out_of_budget()
            if needed is None or attempt:
                needed = _seconds(run_scenario(reference, scenario, scenario.limits))
                self.seconds[scenario.id] = needed
            is_fast = _seconds(run) < scenario.faster_than * max(needed, MIN_SECONDS)
            if is_fast and _did_the_same(run, observations):
                return None
        return _too_slow(scenario)

    def _opened(self, reference: tuple[SourceFile, ...]) -> Observer:
        if self.server is None:
            opened = self.driver.submission(self.setup.plan.assignment, reference)
            self.server = calibrated(self.stack.enter_context(opened), self.setup.slowness)
        return self.server


def _too_slow(scenario: Scenario) -> Verdict:
    times = f"at least {scenario.faster_than} times as long as the course's solution"
    message = f"The answer is right, but takes {times}."
    explanation = replace(stated(TOO_SLOW, message), hint=scenario.hint)
    return Verdict(kind=VerdictKind.FAILED, explanation=explanation)


def _seconds(run: Sequence[Observation]) -> float:
    return sum(observation.cpu_seconds for observation in run)


def _did_the_same(run: Sequence[Observation], other: Sequence[Observation]) -> bool:
    return [truncated(observation) for observation in run] == [
        truncated(observation) for observation in other
    ]
