"""All runs of a submission that decide its verdicts, visible scenarios before hidden ones:
docs/decisions/order-protects-the-hidden.md.

A hidden scenario's input must not have existed in any process before the last one whose output
may be shown has ended: a program that finds a place to write has nothing yet to write.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.common.errors import HarnessError
from harness.grading.observing.further_runs.cost import cost_verdict
from harness.grading.observing.further_runs.luck import Variations, flag_varying_outcomes
from harness.grading.observing.further_runs.speed import SpeedTrials
from harness.grading.observing.judged_runs import JudgedRuns, does_not_do_alone
from harness.grading.observing.outcome import RunOutcome
from harness.grading.observing.running import FunctionMemory
from harness.grading.observing.setup import Candidate
from harness.grading.observing.shared_process.shared_run import SharedRuns
from harness.judging.judge import differs_from_run_to_run, not_run
from harness.marking.mark import excused
from harness.model.observation import Ending, Isolation
from harness.model.plan import Plan, Scenario, Visibility, in_turn, needed
from harness.model.policy import Sharing
from harness.model.verdict import Verdict, VerdictKind


def by_visibility(scenarios: Sequence[Scenario]) -> Iterator[tuple[Scenario, ...]]:
    """Yield the scenarios in parts, those that students see first in the first."""
    for visibility in Visibility:
        part = tuple(scenario for scenario in scenarios if scenario.visibility is visibility)
        if part:
            yield part


@dataclass(slots=True, kw_only=True)
class RunsSoFar:
    """All that was found, and will be needed, after the first `parts` of a plan."""

    memory: FunctionMemory
    stand_in_memory: FunctionMemory  # of the runs with stand-ins
    as_submitted: RunOutcome = field(default_factory=RunOutcome)
    standing_in: RunOutcome = field(default_factory=RunOutcome)
    wrong: set[str] = field(default_factory=set)
    parts: int = 0
    has_begun: bool = False

    def copy(self) -> RunsSoFar:
        """Return a copy that later runs do not change."""
        return replace(
            self,
            memory=self.memory.copy(),
            stand_in_memory=self.stand_in_memory.copy(),
            as_submitted=self.as_submitted.copy(),
            standing_in=self.standing_in.copy(),
            wrong={*self.wrong},
        )


class TryAgain(Exception):  # noqa: N818  (an outcome of one attempt)
    """Something of ours failed; another attempt goes on after the last whole part."""


@dataclass(slots=True, kw_only=True)
class RunsInOrder:
    """Runs all scenarios of a plan. A scenario that needs a failing one is not run; its verdict
    says so.

    `as_submitted` is of all of them, `standing_in` of those that failed and have stand-ins.

    `whole_parts` are the results after the last part that the budget was enough for, None before
    the first: from there the same submission can go on without repeating those runs.

    `may_try_again`: if something of ours fails, raise `TryAgain` before anything of the next part
    runs, so that visible scenarios are observed before hidden ones. `on_part` is called
    with `whole_parts` before each part but the first, for the same reason."""

    runs: JudgedRuns
    speed: SpeedTrials
    variations: Variations
    plan: Plan
    candidate: Candidate
    whole_parts: RunsSoFar | None = None
    may_try_again: bool = False
    on_part: Callable[[RunsSoFar], None] = lambda so_far: None
    _now: RunsSoFar = field(init=False)
    _needs: Mapping[str, Sequence[Scenario]] = field(init=False)
    _waived: Collection[str] = field(init=False)
    _shared_runs: SharedRuns = field(init=False)

    def __post_init__(self) -> None:
        self._shared_runs = self.runs.shared_runs_of(self.plan)
        self._needs = needed(self.plan.scenarios)
        self._waived, _ = excused(self.plan, self.candidate.submission)
        if self.whole_parts is not None:
            self._now = self.whole_parts.copy()
            return
        memory, stand_in_memory = self.runs.memory(self.plan), self.runs.memory(self.plan)
        self._now = RunsSoFar(memory=memory, stand_in_memory=stand_in_memory)

    @property
    def as_submitted(self) -> RunOutcome:
        """Return the results so far of the files that were handed in."""
        return self._now.as_submitted

    @property
    def standing_in(self) -> RunOutcome:
        """Return the results so far of failed scenarios with the course's stand-ins."""
        return self._now.standing_in

    def run(self) -> None:
        """Run all parts of the plan without known results.

        Raise TryAgain, or HarnessError if this was the last attempt.
        """
        try:
            self._run_parts()
        except HarnessError as failure:
            if self.may_try_again:
                raise TryAgain from failure
            raise

    def _run_parts(self) -> None:
        ids_to_come = _ids(self.plan.scenarios)
        for number, part in enumerate(by_visibility(self.plan.scenarios)):
            if number < self._now.parts:
                ids_to_come -= _ids(part)
                continue
            self._run_part(part, ids_to_come)
            if not self.candidate.budget.is_over:
                self._now.parts = number + 1
                self.whole_parts = self._now.copy()
                if ids_to_come:
                    self.on_part(self.whole_parts)
        self._audit_the_rest()
        self._skip_what_needs_others()

    def _run_part(self, part: Sequence[Scenario], ids_to_come: set[str]) -> None:
        """Run the groups of a part in their order. Remove the ids of each from `ids_to_come`.

        Raise TryAgain if the harness failed on a scenario and there is another attempt.
        """
        for group in in_turn(part, needed(part)):
            ids_to_come.difference_update(_ids(group))
            before = self.as_submitted
            self._run(group, ids_to_come)
            if self.as_submitted.isolation is not Isolation.SHARED:
                self._repeat_alone(before)
        if self.may_try_again and self._has_failed_by_us(part):
            raise TryAgain

    def _has_failed_by_us(self, part: Sequence[Scenario]) -> bool:
        """Return whether one of these scenarios could not be observed."""
        for scenario in part:
            for outcome in (self.as_submitted, self.standing_in):
                observations = outcome.observations.get(scenario.id, ())
                if any(observation.ending is Ending.HARNESS_ERROR for observation in observations):
                    return True
        return False

    def _run(self, group: Sequence[Scenario], ids_to_come: Collection[str]) -> None:
        """Run the scenarios of a group whose needs are not known to be wrong. `ids_to_come` are
        those of the scenarios after the group."""
        ready = tuple(
            scenario for scenario in group if self._skipped(scenario, self._now.wrong) is None
        )
        self._now.wrong |= _ids(group) - _ids(ready)
        if not ready:
            return
        part = replace(self.plan, scenarios=ready)
        outcome = self.runs.observe_and_judge(
            part, self._candidate_now(), self._now.memory, self._shared_runs, ids_to_come
        )
        for scenario in ready:
            self._measure(scenario, outcome)
        flag_varying_outcomes(outcome, part, self.candidate, self.variations)
        if self._now.has_begun:
            self._now.as_submitted = self.as_submitted.merged_with(outcome)
        else:
            self._now.as_submitted = outcome
        self._now.has_begun = True
        self._run_again_standing_in(ready, outcome)
        for scenario in ready:
            if self._is_wrong(scenario) and scenario.id not in self._waived:
                self._now.wrong.add(scenario.id)

    def _measure(self, scenario: Scenario, outcome: RunOutcome) -> None:
        """Fail a right answer that takes longer, or runs more lines, than the scenario allows."""
        observations = outcome.observations[scenario.id]
        server = self.candidate.server
        if scenario.faster_than and outcome.verdicts[scenario.id].passed:
            slow = self.speed.verdict(scenario, server, observations)
            if slow is not None:
                outcome.verdicts[scenario.id] = slow
        if scenario.cost is not None and outcome.verdicts[scenario.id].passed:
            costly = cost_verdict(scenario, server, observations)
            if costly is not None:
                outcome.verdicts[scenario.id] = costly

    def _run_again_standing_in(self, ready: Sequence[Scenario], outcome: RunOutcome) -> None:
        """Run the failed scenarios again with the course's modules instead of the submission's."""
        again: list[Scenario] = []
        for scenario in ready:
            if scenario.stand_ins and is_wrong(outcome.verdicts[scenario.id]):
                again.append(scenario.standing_in())
        if again:
            part = replace(self.plan, scenarios=tuple(again))
            again_standing_in = self.runs.alone(part, self.candidate, self._now.stand_in_memory)
            self._now.standing_in = self.standing_in.merged_with(again_standing_in)

    def _candidate_now(self) -> Candidate:
        """Return the candidate. Once a scenario needed its own process, all later ones get their
        own."""
        if not self._now.has_begun or self.as_submitted.isolation is Isolation.SHARED:
            return self.candidate
        return self._candidate_all_alone(self.as_submitted.isolation_reason)

    def _candidate_all_alone(self, reason: str) -> Candidate:
        sharing = Sharing(allowed=False, reason=reason)
        report = replace(self.candidate.report, sharing=sharing)
        return replace(self.candidate, report=report)

    def _audit_the_rest(self) -> None:
        """Audit functions whose audit was put off to a part in which no scenario passed. Answers
        may now depend on later questions: use only whether they are as before, one bit."""
        left: list[Scenario] = []
        for scenario in self.plan.scenarios:
            if scenario.function not in self.as_submitted.audited and self._is_new(scenario):
                left.append(scenario)
        for scenario in self._shared_runs.chosen_for_audit(left):
            part = replace(self.plan, scenarios=(scenario,))
            again = self.runs.alone(part, self._candidate_all_alone(""), self.runs.memory(part))
            if not self.runs.agrees(scenario, again.observations[scenario.id]):
                self._give_up_sharing(does_not_do_alone(scenario.id))
                return
        # Without time to audit the rest, no later run may use these answers.
        if self.candidate.budget.is_over:
            self._withdraw_shared_answers()

    def _give_up_sharing(self, reason: str) -> None:
        """Count the candidate from here on as one whose scenarios need their own process, for this
        reason, and repeat those that were answered from a shared one."""
        self._now.as_submitted = replace(
            self.as_submitted, isolation=Isolation.ALONE, isolation_reason=reason
        )
        self._repeat_alone(self.as_submitted)

    def _withdraw_shared_answers(self) -> None:
        """Store no answer from a shared process for later runs. The verdicts stay."""
        for key in self.as_submitted.shared.values():
            self.as_submitted.new_runs.pop(key, None)

    def _is_new(self, scenario: Scenario) -> bool:
        """Return whether the scenario passed in a shared process in this run."""
        return self.as_submitted.shared.get(scenario.id) in self.as_submitted.new_runs

    def _repeat_alone(self, shared_so_far: RunOutcome) -> None:
        """Repeat scenarios that `shared_so_far` answered from shared processes, each in its own
        process, once it is known that the program depends on earlier runs. Answers may now depend
        on later questions, so only one bit of each is used, and nothing is kept."""
        if not shared_so_far.shared:
            return
        scenarios = tuple(
            scenario for scenario in self.plan.scenarios if scenario.id in shared_so_far.shared
        )
        part = replace(self.plan, scenarios=scenarios)
        again = self.runs.alone(part, self._candidate_now(), self.runs.memory(part))
        for scenario in scenarios:
            name = scenario.id
            key = self.as_submitted.shared.pop(name)
            self.as_submitted.new_runs.pop(key, None)
            verdict = again.verdicts[name]
            if verdict.passed:
                continue
            if is_wrong(verdict):
                verdict = differs_from_run_to_run()
            self.as_submitted.forget(name)
            self.as_submitted.verdicts[name] = verdict

    def _skip_what_needs_others(self) -> None:
        """Take back results of scenarios whose needs turned out to be wrong later."""
        wrong: set[str] = set()
        for group in in_turn(self.plan.scenarios, self._needs):
            for scenario in group:
                verdict = self._skipped(scenario, wrong)
                if verdict is not None:
                    self.as_submitted.forget(scenario.id)
                    self.standing_in.forget(scenario.id)
                    self.as_submitted.verdicts[scenario.id] = verdict
                    wrong.add(scenario.id)
                elif self._is_wrong(scenario) and scenario.id not in self._waived:
                    wrong.add(scenario.id)

    def _skipped(self, scenario: Scenario, wrong: set[str]) -> Verdict | None:
        return not_run(scenario, self._needs.get(scenario.id, ()), wrong)

    def _is_wrong(self, scenario: Scenario) -> bool:
        verdict = (
            self.standing_in.verdicts.get(scenario.id) or self.as_submitted.verdicts[scenario.id]
        )
        return is_wrong(verdict)


def _ids(scenarios: Iterable[Scenario]) -> set[str]:
    return {scenario.id for scenario in scenarios}


def is_wrong(verdict: Verdict) -> bool:
    """Return whether the submission failed, and not our own machinery or its total time."""
    is_ours = verdict.kind is VerdictKind.HARNESS_ERROR
    return not verdict.passed and not is_ours and not verdict.undecided
