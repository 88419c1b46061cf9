"""One submission, observed and judged: its scenarios in a shared process if that is allowed,
otherwise each in its own process."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

from harness.common.errors import HarnessError
from harness.common.logs import logger_of
from harness.execution import AnyDriver
from harness.grading.faults import not_judged
from harness.grading.observing.answer_key import expectation, parameters
from harness.grading.observing.arrivals import Arrivals
from harness.grading.observing.draws import (
    SAYS_NOTHING_ALONE,
    AloneObserver,
    DrawObserver,
    ReceiveDraw,
    Source,
)
from harness.grading.observing.outcome import RunOutcome
from harness.grading.observing.running import (
    SECOND_LOOKS,
    FunctionMemory,
    LoopingBudget,
    Recall,
    Running,
)
from harness.grading.observing.setup import Candidate, GraderSetup
from harness.grading.observing.shared_process.checked import CheckedObserver
from harness.grading.observing.shared_process.shared_run import SharedRunResult, SharedRuns
from harness.judging.judge import Judge, combine
from harness.judging.times import time_taken
from harness.model.expectation import Answer
from harness.model.observation import Ending, Isolation, Observation
from harness.model.plan import Plan, Scenario
from harness.model.submission import Submission
from harness.model.verdict import TimeTaken, Verdict, VerdictKind
from harness.policy.sources import POLICY_DIGEST
from harness.results.reuse import (
    PlanKeys,
    SharedPass,
    execution_digest,
    judging_digest,
    shared_key,
)

_log = logger_of(__name__)

_ONLY_SHARED, _ONLY_ALONE = frozenset({Source.SHARED}), frozenset({Source.ALONE})


def does_not_do_alone(scenario: str) -> str:
    """Return the reason why each scenario has its own process, after the scenario with this id
    refuted its shared run.
    """
    return f"{scenario} behaves differently in its own process"


@dataclass(slots=True, kw_only=True)
class _StoredKeys:
    """The keys of a submission's scenarios in the cache, by scenario id."""

    alone: dict[str, str]  # of observations in their own processes
    shared: dict[str, str] = field(default_factory=dict)  # of a `SharedPass`, if they may have one
    passed: set[str] = field(default_factory=set)  # those that have a `SharedPass` already


class JudgedRuns:
    """Observes and judges one submission after another, on all scenarios of the plan or a part."""

    def __init__(self, setup: GraderSetup, driver: AnyDriver) -> None:
        self.plan = setup.plan
        self._answer_key = setup.compared_with
        self._thorough = setup.thorough
        self._plan_keys = PlanKeys(
            setup.plan.assignment,
            interpreter=driver.interpreter.build,
            tier=driver.tier,
            execution_digest=execution_digest(),
            judged_by=judging_digest(),
        )
        self._answers: dict[str, tuple[Answer, ...]] = {}
        self._references: dict[str, tuple[Observation, ...]] = {}
        for entry in setup.key.scenarios:
            self._answers[entry.scenario_id] = entry.answers
            references = tuple(answer.observation for answer in entry.answers)
            self._references[entry.scenario_id] = references
        self._judges: dict[tuple[str, int], Judge] = {}
        self._secret = setup.secret or os.urandom(32)
        self.shared = SharedRuns(setup.plan, self._answer_key, self._secret)
        self._reference_verdicts: dict[str, Verdict] = {}
        self._budget = LoopingBudget(
            setup.plan, self._answer_key
        )  # each submission has a copy of it

    def memory(self, plan: Plan) -> FunctionMemory:
        """Return the memory that the parts of a plan begin with."""
        budget = copy(self._budget) if plan is self.plan else LoopingBudget(plan, self._answer_key)
        return FunctionMemory(budget, SECOND_LOOKS)

    def shared_runs_of(self, plan: Plan) -> SharedRuns:
        """Return the shared runs of this setup's plan, or of a part of it."""
        if plan.assignment is self.plan.assignment:
            return self.shared
        return SharedRuns(plan, self._answer_key, self._secret)  # its variants have other numbers

    def observe_and_judge(
        self,
        plan: Plan,
        candidate: Candidate,
        memory: FunctionMemory,
        shared_runs: SharedRuns,
        later: Collection[str] = frozenset(),
    ) -> RunOutcome:
        """Observe and judge all scenarios, in a shared process if the program may have one.

        `shared_runs` are those of the whole plan, of which this may be a part; `later` has the ids
        of the scenarios that come afterwards.
        """

        def all_alone(reason: str, *, not_plain: bool = False) -> RunOutcome:
            outcome = self.alone(plan, candidate, memory)
            return replace(outcome, isolation_reason=reason, not_plain=not_plain)

        sharing = candidate.report.sharing
        if not sharing.allowed:
            return all_alone(sharing.reason)
        stored = self._stored(plan, candidate, shared_runs)
        unknown = self._unknown(plan, candidate, stored)
        shared = SharedRunResult()
        to_run: Sequence[Scenario] = unknown
        if not unknown and not stored.passed:
            # All results are stored, from own processes. Whether sharing is refused is not.
            to_run = plan.scenarios
        if to_run:
            shared = shared_runs.run(candidate.server, to_run, later)
        if shared.refused:
            return all_alone(shared.refused, not_plain=shared.not_plain)
        checked = CheckedObserver(candidate.server, shared, self.judge_of)
        tried = memory.copy()  # what refutes the shared run teaches nothing of the functions
        judging = _JudgingRun(
            runs=self,
            plan=plan,
            candidate=candidate,
            observer=checked,
            memory=tried,
            stored=stored,
        )
        outcome = judging.run()
        if checked.refuted is not None:
            return all_alone(does_not_do_alone(checked.refuted.scenario))
        memory.learn(tried)
        audited = shared_runs.functions_of(shared.audit)
        took_shared = checked.has_answered or bool(stored.passed)
        return replace(
            outcome, isolation=Isolation.SHARED, audited=audited, took_shared=took_shared
        )

    def _stored(self, plan: Plan, candidate: Candidate, shared_runs: SharedRuns) -> _StoredKeys:
        stored = _StoredKeys(alone=self._observation_keys(plan, candidate))
        digests = shared_runs.expected_digests(candidate.server)
        for scenario in plan.scenarios:
            name = scenario.id
            if name not in digests:
                continue
            key = shared_key(stored.alone[name], POLICY_DIGEST, digests[name])
            stored.shared[name] = key
            if candidate.cache.passed_shared(key):
                stored.passed.add(name)
        return stored

    def _unknown(self, plan: Plan, candidate: Candidate, stored: _StoredKeys) -> list[Scenario]:
        """Return the scenarios that no earlier grading has."""
        unknown: list[Scenario] = []
        for scenario in plan.scenarios:
            if scenario.id in stored.passed:
                continue
            if candidate.cache.observations(stored.alone[scenario.id]) is None:
                unknown.append(scenario)
        return unknown

    def _observation_keys(self, plan: Plan, candidate: Candidate) -> dict[str, str]:
        digest = candidate.submission.digest  # of all its bytes, so only once
        keys: dict[str, str] = {}
        for scenario in plan.scenarios:
            keys[scenario.id] = self._plan_keys.observation_key(digest, scenario)
        return keys

    def agrees(self, scenario: Scenario, observations: Sequence[Observation]) -> bool:
        """Return whether no observation of its own process differs from the reference's."""
        for observation, expected in zip(observations, self._references[scenario.id], strict=False):
            if observation != expected and observation.ending not in SAYS_NOTHING_ALONE:
                return False
        return True

    def references(self, scenario: str) -> tuple[Observation, ...]:
        """Return the reference's observations of the scenario with this id; none without one."""
        return self._references.get(scenario, ())

    def answer_of(self, scenario: Scenario, index: int) -> Answer | None:
        """Return the reference's answer to the draw of this index; None without one."""
        answers = self._answers.get(scenario.id, ())
        if index >= len(answers):
            return None
        return answers[index]

    def alone(self, plan: Plan, candidate: Candidate, memory: FunctionMemory) -> RunOutcome:
        """Observe each scenario without an earlier result in its own process, and judge it."""
        judging = _JudgingRun(
            runs=self,
            plan=plan,
            candidate=candidate,
            observer=AloneObserver(candidate.server),
            memory=memory,
            stored=_StoredKeys(alone=self._observation_keys(plan, candidate)),
        )
        return judging.run()

    def running(
        self,
        plan: Plan,
        observer: DrawObserver,
        memory: FunctionMemory,
        recall: Recall,
        receive: ReceiveDraw,
    ) -> Running:
        """Return a run of these scenarios, which has not begun."""
        return Running(observer, plan, self._answer_key, recall, receive, self._thorough, memory)

    def key_of(self, submission: Submission, scenario: Scenario) -> str:
        """Return the key of the observations of a submission without shared processes."""
        return self._plan_keys.observation_key(submission.digest, scenario)

    def key_of_verdict(self, key_alone: str, scenario: Scenario) -> str:
        """Return the key of the verdict of the observations with the key `key_alone`."""
        assignment = self.plan.assignment
        names = tuple(parameters(stimulus, assignment) for stimulus in scenario.stimuli)
        return self._plan_keys.verdict_key(
            key_alone, self._answers.get(scenario.id), scenario, names
        )

    def verdict_of_reference(
        self, scenario: Scenario, observations: tuple[Observation, ...], arrivals: Arrivals
    ) -> Verdict:
        """Return the verdict of observations that equal the reference's, judged once."""
        verdict = self._reference_verdicts.get(scenario.id)
        if verdict is None:
            verdict = self.judged(scenario, observations, arrivals)
            self._reference_verdicts[scenario.id] = verdict
        return verdict

    def judged(
        self, scenario: Scenario, observations: tuple[Observation, ...], arrivals: Arrivals
    ) -> Verdict:
        """Return the verdict, with the scenario's hint.

        Raise HarnessError if the expected value cannot be compared.
        """
        if any(observation.ending is Ending.HARNESS_ERROR for observation in observations):
            return Verdict(kind=VerdictKind.HARNESS_ERROR)

        def of_draw(index: int) -> Verdict:
            return arrivals.verdict(scenario, index, observations[index])

        try:
            if scenario.is_sample:
                draws = enumerate(observations)
                kinds = [
                    arrivals.kind(scenario, index, observation) for index, observation in draws
                ]
                verdict = combine(kinds, of_draw)
            else:
                verdict = of_draw(0)
        except HarnessError as failure:
            raise HarnessError(f"{scenario.id}: {failure}") from None
        except Exception as error:
            return not_judged(error)
        if verdict.explanation is None:
            return verdict
        explanation = replace(verdict.explanation, hint=scenario.hint)
        return replace(
            verdict, explanation=explanation, time=self._time(scenario, verdict, observations)
        )

    def _time(
        self, scenario: Scenario, verdict: Verdict, observations: tuple[Observation, ...]
    ) -> TimeTaken | None:
        draw = verdict.draw or 0
        answer = self.answer_of(scenario, draw)
        reference = None if answer is None else answer.observation
        return time_taken(observations[draw], scenario.limits, reference)

    def judge_of(self, scenario: Scenario, index: int) -> Judge:
        """Return the judge of the draw of this index, the same for all submissions."""
        judge = self._judges.get((scenario.id, index))
        if judge is None:
            stimulus = scenario.stimuli[index]
            answer = self.answer_of(scenario, index)
            expected = expectation(scenario, stimulus, answer, self.plan.assignment)
            judge = self._judges[scenario.id, index] = Judge(expected, stimulus)
        return judge


@dataclass(slots=True, kw_only=True)
class _JudgingRun:
    """Observes and judges each scenario of a plan, or of a part of it, that neither an earlier run
    nor a shared run has."""

    runs: JudgedRuns
    plan: Plan
    candidate: Candidate
    observer: DrawObserver
    memory: FunctionMemory
    stored: _StoredKeys
    _arrivals: Arrivals = field(init=False)
    _running: Running = field(init=False)
    _outcome: RunOutcome = field(default_factory=RunOutcome)

    def __post_init__(self) -> None:
        self._arrivals = Arrivals(self.runs.judge_of)
        self._running = self.runs.running(
            self.plan, self.observer, self.memory, self._recall, self._arrivals.receive_and_judge
        )

    def run(self) -> RunOutcome:
        """Run and judge all scenarios."""
        self._running.run()
        for scenario in self.plan.scenarios:
            observations = self._running.observed[scenario.id]
            self._outcome.observations[scenario.id] = observations
            if self._passed_shared(scenario.id):
                self._outcome.shared[scenario.id] = self.stored.shared[scenario.id]
            self._note_for_cache(scenario.id, observations)
            self._outcome.verdicts[scenario.id] = self._verdict(scenario, observations)
        return self._outcome

    def _recall(self, scenario: Scenario) -> tuple[Observation, ...] | None:
        """Return the observations of an earlier grading."""
        if scenario.faster_than:  # how long it took is not stored
            return None
        if scenario.id in self.stored.passed:
            return self.runs.references(scenario.id)
        earlier = self.candidate.cache.observations(self.stored.alone[scenario.id])
        if earlier is not None:
            _log.info("used the stored result of %s", scenario.id)
        return earlier

    def _passed_shared(self, name: str) -> bool:
        """Return whether a shared run, now or earlier, did in all of the scenario's stimuli what
        the reference does."""
        if name not in self.stored.shared:
            return False
        if name in self.stored.passed:
            return True
        sources = self._running.sources[name]
        is_whole = len(sources) == len(self.runs.references(name))
        return is_whole and set(sources) <= _ONLY_SHARED

    def _note_for_cache(self, name: str, observations: tuple[Observation, ...]) -> None:
        """Note a scenario's results that the cache lacks: that it passed in a shared run, or
        its behaviour in its own process.

        Truncated observations are not stored, nor others of a shared run. A shared run that was cut
        short was not audited: nothing of it is stored.
        """
        outcome = self._outcome
        if not self._running.is_fresh(name):
            return
        passed_shared = name in outcome.shared
        if passed_shared and not self.candidate.budget.is_over:
            outcome.new_runs[outcome.shared[name]] = SharedPass.PASSED
            return
        is_alone = set(self._running.sources[name]) <= _ONLY_ALONE
        if is_alone and not _is_cut(observations):
            outcome.new_runs[self.stored.alone[name]] = observations

    def _verdict(self, scenario: Scenario, observations: tuple[Observation, ...]) -> Verdict:
        name, outcome = scenario.id, self._outcome
        reference = self.runs.references(name)
        if name in outcome.shared or (reference and observations == reference):
            return self.runs.verdict_of_reference(scenario, observations, self._arrivals)
        key = self.runs.key_of_verdict(self.stored.alone[name], scenario)
        if not self._running.is_fresh(name):
            recalled = self.candidate.cache.verdict(key)
            if recalled is not None:
                return recalled
        verdict = self.runs.judged(scenario, observations, self._arrivals)
        if not _is_cut(observations):
            outcome.new_verdicts[key] = verdict
            outcome.verdict_keys[name] = key
        return verdict


def _is_cut(observations: Sequence[Observation]) -> bool:
    return any(observation.is_truncated for observation in observations)
