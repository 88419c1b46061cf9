"""Whether a right answer came soon enough: CPU time beside the reference's, on this machine, now.

CPU time hardly depends on how busy a machine is, but it does a little. So the multiple is three at
least, a time too short to be measured counts as `LEAST_SECONDS`, and a submission is too slow only
if it was in each of several tries, each beside a new run of the reference. No time that was
measured is stored or shown.
"""

from __future__ import annotations

from contextlib import ExitStack

from harness.execution import AnyDriver
from harness.grading.observing.arrivals import reduced
from harness.grading.observing.running import Observer, run_scenario
from harness.judging import TOO_SLOW
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Plan, Scenario, SourceFile
from harness.model.verdict import Explanation, Verdict, VerdictKind

TRIES = 3
LEAST_SECONDS = 0.02  # of the reference, all draws together; a process alone takes 0.002


class SpeedTrials:
    """Measures submissions beside the reference, which runs in a server of its own."""

    def __init__(
        self, plan: Plan, driver: AnyDriver, reference: tuple[SourceFile, ...], stack: ExitStack
    ) -> None:
        """`stack` holds the reference's server from its first use on."""
        self._assignment = plan.assignment
        self._driver = driver
        self._reference = reference
        self._stack = stack
        self._server: Observer | None = None
        self._known: dict[str, float] = {}

    def verdict(
        self, scenario: Scenario, server: Observer, seen: tuple[Observation, ...]
    ) -> Verdict | None:
        """That a scenario whose answers `seen` are right took too long; None where it did not.
        Without a reference, and where processes say themselves how long they took, nothing is."""
        if not scenario.faster_than or not self._reference or self._driver.tier is Tier.PORTABLE:
            return None
        ours, theirs = self._known.get(scenario.id), seen
        for attempt in range(TRIES):
            if attempt:
                theirs = run_scenario(server, scenario, scenario.limits)
            if theirs[-1].ending is Ending.HARNESS_ERROR:
                return Verdict(kind=VerdictKind.HARNESS_ERROR)
            if ours is None or attempt:
                ours = self._known[scenario.id] = self._measure(scenario)
            enough = scenario.faster_than * max(ours, LEAST_SECONDS)
            if (
                tuple(map(reduced, theirs)) == tuple(map(reduced, seen))
                and _seconds(theirs) < enough
            ):
                return None
        times = f"at least {scenario.faster_than} times as long as ours"
        message = f"The answer is right, but takes {times}."
        explanation = Explanation(rule=TOO_SLOW, message=message).with_hint(scenario.hint)
        return Verdict(kind=VerdictKind.FAILED, explanation=explanation)

    def _measure(self, scenario: Scenario) -> float:
        if self._server is None:
            opened = self._driver.submission(self._assignment, self._reference)
            self._server = self._stack.enter_context(opened)
        return _seconds(run_scenario(self._server, scenario, scenario.limits))


def _seconds(seen: tuple[Observation, ...]) -> float:
    return sum(each.cpu_seconds for each in seen)
