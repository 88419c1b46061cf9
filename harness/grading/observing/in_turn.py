"""A submission's scenarios, those that need others after them, and second runs with stand-ins."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from harness.grading.observing.cache import ResultCache
from harness.grading.observing.judged_runs import JudgedRuns, RunOutcome
from harness.grading.observing.running import Observer
from harness.grading.observing.speed import SpeedTrials
from harness.judging import not_run
from harness.model.plan import Plan, Scenario, in_turn, needed
from harness.model.policy import PolicyReport
from harness.model.submission import Submission
from harness.model.verdict import Verdict, VerdictKind


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
