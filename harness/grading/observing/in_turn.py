"""A submission's scenarios, those that need others after them; second runs with stand-ins; and
whether a right answer came soon enough.

CPU time hardly depends on how busy a machine is, but it does a little. So the multiple of the
reference's is three at least, a time too short to be measured counts as `LEAST_SECONDS`, and a
submission is too slow only if it was in each of several tries, each beside a new run of the
reference. No time that was measured is stored or shown.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from harness.execution import AnyDriver
from harness.grading.observing.arrivals import reduced
from harness.grading.observing.judged_runs import JudgedRuns, RunOutcome
from harness.grading.observing.running import Observer, run_scenario
from harness.judging import TOO_SLOW, not_run
from harness.model.observation import Ending, Observation, Tier
from harness.model.plan import Plan, Scenario, SourceFile, in_turn, needed
from harness.model.policy import PolicyReport
from harness.model.submission import Submission
from harness.model.verdict import Explanation, Verdict, VerdictKind
from harness.results import ResultCache

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


@dataclass(slots=True)
class BothRuns:
    """What the `first` run of each scenario found, and the `second` of those that failed and have
    stand-ins (`again`)."""

    first: RunOutcome = field(default_factory=RunOutcome)
    second: RunOutcome = field(default_factory=RunOutcome)
    again: list[Scenario] = field(default_factory=list)


def run_in_turn(
    runs: JudgedRuns,
    speed: SpeedTrials,
    plan: Plan,
    server: Observer,
    *,
    submission: Submission,
    report: PolicyReport,
    cache: ResultCache,
    waived: Collection[str],
) -> BothRuns:
    """All scenarios but those that need one that fails, whose verdict says so. The ids `waived` do
    not count for this submission: others do not fail for them."""
    found = BothRuns()
    needs = needed(plan.scenarios)
    wrong: set[str] = set()
    skipped: dict[str, Verdict] = {}
    for turn, scenarios in enumerate(in_turn(plan.scenarios, needs)):
        ready: list[Scenario] = []
        for scenario in scenarios:
            verdict = not_run(scenario, needs.get(scenario.id, ()), wrong)
            if verdict is None:
                ready.append(scenario)
            else:
                skipped[scenario.id] = verdict
                wrong.add(scenario.id)
        if not ready:
            continue
        part = replace(plan, scenarios=tuple(ready)) if needs else plan
        own = runs.first(part, server, submission, report, cache)
        for scenario in ready:
            if scenario.faster_than and own.verdicts[scenario.id].passed:
                seen = own.observations[scenario.id]
                slow = speed.verdict(scenario, server, seen)
                own.verdicts[scenario.id] = slow or own.verdicts[scenario.id]
        again = [s for s in ready if s.stand_ins and is_wrong(own.verdicts[s.id])]
        found.again += again
        found.first = found.first.joined(own) if turn else own
        verdicts = own.verdicts
        if again:
            standing_in = replace(plan, scenarios=tuple(s.standing_in() for s in again))
            second = runs.alone(standing_in, server, submission.digest, cache)
            found.second = found.second.joined(second)
            verdicts = verdicts | second.verdicts
        if needs:
            wrong |= {s.id for s in ready if is_wrong(verdicts[s.id])} - set(waived)
    found.first.verdicts.update(skipped)
    return found


def is_wrong(verdict: Verdict) -> bool:
    """Whether the submission failed, and not our own machinery."""
    return not verdict.passed and verdict.kind is not VerdictKind.HARNESS_ERROR
