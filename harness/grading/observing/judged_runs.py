"""One submission, observed and judged: its scenarios in a shared process if that is allowed, else
each in one of its own.

A submission may print and return as much as its limits allow in every scenario. So a large
observation is judged when it arrives, and only a short form of it is kept.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import accumulate

from harness.common.errors import HarnessError
from harness.common.logs import logger_of
from harness.execution import AnyDriver
from harness.grading.faults import not_judged
from harness.grading.observing.answer_key import expectation, parameters
from harness.grading.observing.budget import SubmissionBudget, calibrated, total_seconds
from harness.grading.observing.running import (
    LIMIT_ENDINGS,
    SAYS_NOTHING_ALONE,
    SECOND_LOOKS,
    FunctionMemory,
    LoopingBudget,
    Observer,
    Running,
    run_scenario,
)
from harness.grading.observing.shared_run import CheckedObserver, JudgeOf, SharedRuns, Together
from harness.judging.causes import TOO_SLOW
from harness.judging.judge import LAST_KINDS, Judge, combine, out_of_budget
from harness.judging.times import time_taken
from harness.model.expectation import Answer, AnswerKey
from harness.model.observation import Ending, Isolation, Observation, Raised, StepOutcome, Tier
from harness.model.plan import Plan, Scenario, SourceFile
from harness.model.policy import PolicyReport
from harness.model.submission import Submission
from harness.model.verdict import TimeTaken, Verdict, VerdictKind, stated
from harness.policy.sources import POLICY_DIGEST
from harness.results.reuse import (
    ResultCache,
    encoded,
    execution_digest,
    judging_digest,
    observation_key,
    shared_key,
    verdict_key,
)

MOST_KEPT = 16 * 1024  # bytes of text, and `_VALUE_BYTES` for each value
_VALUE_BYTES = 32
_LONGEST_TEXT = 1000
AS_REFERENCE: tuple[Observation, ...] = ()  # stored in place of what equals the reference's
TRIES = 3  # of a submission that must be fast
LEAST_SECONDS = 0.02  # the reference counts as no faster: an empty process takes 0.002


def reduced(seen: Observation) -> Observation:
    """A small observation as it is; of a large one how it ended and what it raised. `cut` is then a
    digest of the whole observation."""
    if seen.cut or all(size <= MOST_KEPT for size in accumulate(_sizes(seen))):
        return seen
    return short_form(seen)


def short_form(seen: Observation) -> Observation:
    """Return how an observation ended and what it raised, with `cut` as in `reduced`."""
    if seen.cut:
        return seen
    raising = (step.raised for step in seen.steps if step.raised)
    return Observation(
        ending=seen.ending,
        phase=seen.phase,
        raised=seen.raised and _short(seen.raised),
        steps=tuple(StepOutcome(raised=_short(raised)) for raised in [*raising][:1]),
        exit_status=seen.exit_status,
        detail=seen.detail[:_LONGEST_TEXT],
        nearest=seen.nearest,
        cpu_seconds=seen.cpu_seconds,
        cut=sha256(encoded((seen,))).hexdigest(),
    )


def _short(raised: Raised) -> Raised:
    ends = raised.frames if len(raised.frames) < 2 else (raised.frames[0], raised.frames[-1])
    return replace(raised, message=raised.message[:_LONGEST_TEXT], bases=(), frames=ends)


def _sizes(seen: Observation) -> Iterator[int]:
    outcomes: list[Observation | StepOutcome] = [seen, *seen.steps]
    named = (*seen.variables, *seen.files)
    texts = [seen.loading_printed, seen.stderr or "", *seen.left_open]
    texts += [turn.printed for each in outcomes for turn in each.turns]
    texts += [step.shown for step in seen.steps]
    for raised in (each.raised for each in outcomes if each.raised):
        texts += [raised.message, *raised.bases]
        for frame in raised.frames:
            texts += [frame.file, frame.function, frame.source]
    yield from map(sys.getsizeof, (*texts, *(each.name for each in named)))
    values = [each.value for each in outcomes if each.value] + [each.value for each in named]
    for value in (*values, *seen.arguments, *seen.arguments_before):
        for part in value.parts():
            yield _VALUE_BYTES + sys.getsizeof(part.text) - sys.getsizeof("")


class Arrivals:
    """Judges the draws of one submission's scenarios as they are observed, if they are large.
    `judge_of` gives the judge of the draw of this index of a scenario."""

    def __init__(self, judge_of: JudgeOf) -> None:
        self._judge_of = judge_of
        # Verdicts of large observations, by scenario id, index of the draw and ending.
        self._verdicts: dict[tuple[str, int, Ending], Verdict] = {}
        self._explained: dict[str, set[Ending]] = {}  # by scenario id: of failing draws so far

    def keep(self, scenario: Scenario, index: int, seen: Observation) -> Observation:
        """Return the parts to keep of the draw of this index; its verdict can be asked for from
        now on.

        Raise HarnessError if the expected value cannot be compared.
        """
        if index == 0:
            self._explained.pop(scenario.id, None)
        judge = self._judge_of(scenario, index)
        if seen is judge.reference:  # from a shared run
            return seen
        kept = reduced(seen)
        if not kept.cut:
            return seen
        if seen == judge.reference:  # so that its texts and values are in memory only once
            return replace(judge.reference, cpu_seconds=seen.cpu_seconds)
        self._judge(scenario, index, seen)
        if seen.ending in LIMIT_ENDINGS:  # it may turn out that the limit was a shortened one
            stopped = replace(seen, ending=Ending.STOPPED_EARLY, detail=seen.ending.value)
            self._judge(scenario, index, stopped)
        return kept

    def _judge(self, scenario: Scenario, index: int, seen: Observation) -> None:
        """Keep the verdict. It is explained only for the first draw, and for the first one that
        fails with this ending: no other explanation is asked for."""
        judge = self._judge_of(scenario, index)
        explained = self._explained.setdefault(scenario.id, set())
        try:
            kind = judge.kind(seen)
            fails_anew = kind is not VerdictKind.PASSED and seen.ending not in explained
            verdict = judge.verdict(seen) if index == 0 or fails_anew else Verdict(kind=kind)
        except HarnessError as failure:
            raise HarnessError(f"{scenario.id}: {failure}") from None
        except Exception as error:
            kind, verdict = VerdictKind.HARNESS_ERROR, not_judged(error)
        if kind not in (VerdictKind.PASSED, *LAST_KINDS):
            explained.add(seen.ending)
        self._verdicts[scenario.id, index, seen.ending] = verdict

    def verdict(self, scenario: Scenario, index: int, seen: Observation) -> Verdict:
        """The verdict of what `keep` gave. HarnessError as there."""
        if seen.cut:
            return self._verdicts[scenario.id, index, seen.ending]
        return self._judge_of(scenario, index).verdict(seen)

    def kind(self, scenario: Scenario, index: int, seen: Observation) -> VerdictKind:
        if seen.cut:
            return self._verdicts[scenario.id, index, seen.ending].kind
        return self._judge_of(scenario, index).kind(seen)


_log = logger_of(__name__)


@dataclass(slots=True, kw_only=True)
class RunOutcome:
    """What one run found."""

    observations: dict[str, tuple[Observation, ...]] = field(default_factory=dict)  # by scenario id
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    # What the cache does not have yet, by its keys.
    new_observations: dict[str, tuple[Observation, ...]] = field(default_factory=dict)
    new_verdicts: dict[str, Verdict] = field(default_factory=dict)
    isolation: Isolation = Isolation.ALONE
    isolation_reason: str = ""
    # Of those answered from a shared run, by scenario id: the key of what is stored of it.
    shared: dict[str, str] = field(default_factory=dict)
    audited: frozenset[str] = frozenset()  # the functions whose shared runs were checked

    def joined(self, later: RunOutcome) -> RunOutcome:
        """Merge this with a later run of other scenarios of the same submission."""
        both_shared = self.isolation is later.isolation is Isolation.SHARED
        return RunOutcome(
            observations=self.observations | later.observations,
            verdicts=self.verdicts | later.verdicts,
            new_observations=self.new_observations | later.new_observations,
            new_verdicts=self.new_verdicts | later.new_verdicts,
            isolation=Isolation.SHARED if both_shared else Isolation.ALONE,
            isolation_reason=self.isolation_reason or later.isolation_reason,
            shared=self.shared | later.shared,
            audited=self.audited | later.audited,
        )

    def copy(self) -> RunOutcome:
        """Return an independent copy, which later changes to this outcome do not reach."""
        return replace(
            self,
            observations={**self.observations},
            verdicts={**self.verdicts},
            new_observations={**self.new_observations},
            new_verdicts={**self.new_verdicts},
            shared={**self.shared},
        )

    def forget(self, name: str) -> None:
        """Make it as if this scenario had not been run."""
        self.observations.pop(name, None)
        self.verdicts.pop(name, None)


def does_not_do_alone(scenario: Scenario) -> str:
    """Return the reason to run each scenario in its own process, after this scenario refuted its
    shared run.
    """
    return f"{scenario.id} does not do alone what it did in the shared run"


@dataclass(slots=True, kw_only=True)
class _SharedAnswers:
    """What shared runs saw. `keys` and `observations` (of earlier runs) are by scenario id. `taken`
    holds `id(stimulus)` of every stimulus that this run answers with what its shared process did.
    """

    keys: dict[str, str] = field(default_factory=dict)  # in the cache
    observations: dict[str, tuple[Observation, ...]] = field(default_factory=dict)
    taken: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderSetup:
    """What a submission is graded by. `reference` answers in place of a submission's functions, to
    see which of them is to blame (empty: causes are found without that). `timed_beside` is the
    reference for what must be fast (None: the same; empty: no time is judged). `secret` is the
    course's, and chooses what the audits of shared runs look at (None: another one each time). With
    `digests`, `Graded.seen` is filled; with `for_students`, so are the causes for students."""

    plan: Plan
    key: AnswerKey
    reference: tuple[SourceFile, ...] = ()
    timed_beside: tuple[SourceFile, ...] | None = None
    thorough: bool = False
    secret: bytes | None = None
    digests: bool = False
    for_students: bool = True
    slowness: float = 1.0  # of the machine that grades: how many times slower than the usual one

    @property
    def total_seconds(self) -> float | None:
        """Return the seconds that all of a submission may take; None: any time."""
        return None if self.thorough else total_seconds(self.plan, self.key)

    @property
    def compared_with(self) -> AnswerKey | None:
        """Return the key; None without a reference."""
        return self.key if self.key.scenarios else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A submission that is being graded: what runs it, what its text says, and what earlier runs
    found of it."""

    submission: Submission
    server: Observer
    report: PolicyReport
    cache: ResultCache
    budget: SubmissionBudget


class JudgedRuns:
    """Observes and judges one submission after another, on all scenarios of the plan or a part."""

    def __init__(self, setup: GraderSetup, driver: AnyDriver) -> None:
        self.plan = setup.plan
        self._key = setup.compared_with
        self._driver = driver
        self._thorough = setup.thorough
        self._answers = {entry.scenario_id: entry.answers for entry in setup.key.scenarios}
        self._references = {
            name: tuple(answer.observation for answer in answers)
            for name, answers in self._answers.items()
        }
        self._judges: dict[tuple[str, int], Judge] = {}
        self._secret = setup.secret or os.urandom(32)
        self.shared = SharedRuns(setup.plan, self._key, self._secret)
        self._reference_verdicts: dict[str, Verdict] = {}

    def memory(self, plan: Plan) -> FunctionMemory:
        """Return the memory that the parts of a plan begin with."""
        return FunctionMemory(LoopingBudget(plan, self._key), SECOND_LOOKS)

    def shared_runs_of(self, plan: Plan) -> SharedRuns:
        """Return the shared runs of this setup's plan, or of a part of it."""
        if plan.assignment is self.plan.assignment:
            return self.shared
        return SharedRuns(plan, self._key, self._secret)  # its variants have other numbers

    def observe_and_judge(
        self,
        plan: Plan,
        candidate: Candidate,
        memory: FunctionMemory,
        shared_runs: SharedRuns,
        later: Collection[str] = frozenset(),
    ) -> RunOutcome:
        """Observe and judge all scenarios, in a shared process if the program may have one.

        `shared_runs` are of the whole plan of which this is a part, `later` are the ids of the
        scenarios that come afterwards.
        """
        server, cache, sharing = candidate.server, candidate.cache, candidate.report.sharing

        def all_alone(reason: str) -> RunOutcome:
            return replace(self.alone(plan, candidate, memory), isolation_reason=reason)

        if not sharing.allowed:
            return all_alone(sharing.reason)
        keys = self._keys_of(plan, candidate)
        shared = _SharedAnswers()
        for name, digest in shared_runs.expected_digests(server).items():
            if name in keys:
                key = shared.keys[name] = shared_key(keys[name], POLICY_DIGEST, digest)
                earlier = cache.observations(key)
                if earlier is not None:
                    is_reference = earlier == AS_REFERENCE
                    shared.observations[name] = self._references[name] if is_reference else earlier
        unseen = [
            scenario
            for scenario in plan.scenarios
            if scenario.id not in shared.observations
            and cache.observations(keys[scenario.id]) is None
        ]
        together = Together()
        if unseen or not shared.observations:
            together = shared_runs.run(server, unseen or plan.scenarios, later)
        if together.refused:
            return all_alone(together.refused)
        checked = CheckedObserver(server, together, shared.taken, self.judge_of)
        tried = memory.copy()  # what refutes the shared run teaches nothing of the functions
        outcome = self.alone(plan, replace(candidate, server=checked), tried, shared)
        if checked.refuted is None:
            memory.learn(tried)
            audited = shared_runs.functions_of(together.audit)
            return replace(outcome, isolation=Isolation.SHARED, audited=audited)
        scenario = next(one for one in plan.scenarios if checked.refuted in one.stimuli)
        return all_alone(does_not_do_alone(scenario))

    def agrees(self, scenario: Scenario, seen: tuple[Observation, ...]) -> bool:
        """Return whether no observation of its own process differs from the reference's."""
        expected = self._references[scenario.id]
        both = zip(seen, expected, strict=False)
        return all(one == other or one.ending in SAYS_NOTHING_ALONE for one, other in both)

    def answer_of(self, scenario: Scenario, index: int) -> Answer | None:
        answers = self._answers.get(scenario.id, ())
        return answers[index] if index < len(answers) else None

    def alone(
        self,
        plan: Plan,
        candidate: Candidate,
        memory: FunctionMemory,
        shared: _SharedAnswers | None = None,
    ) -> RunOutcome:
        """Observe, in its own process, each scenario that neither an earlier run nor a shared
        run has.
        """
        shared = shared or _SharedAnswers()
        keys, cache = self._keys_of(plan, candidate), candidate.cache
        arrivals = Arrivals(self.judge_of)

        def recall(scenario: Scenario) -> tuple[Observation, ...] | None:
            if scenario.faster_than:  # how long it took is not kept
                return None
            if (together := shared.observations.get(scenario.id)) is not None:
                return together
            earlier = cache.observations(keys[scenario.id])
            if earlier is not None:
                _log.info("used the stored result of %s", scenario.id)
            return earlier

        running = Running(
            candidate.server,
            plan,
            self._key,
            recall,
            arrivals.keep,
            self._thorough,
            memory,
        )
        ran = running.run()
        outcome = RunOutcome(observations=ran.observed)
        within = plan.assignment.floats_within
        for scenario in plan.scenarios:
            name, observations = scenario.id, ran.observed[scenario.id]
            reference = self._references.get(name, ())
            fresh = name in ran.fresh
            cut = any(observation.cut for observation in observations)
            # A shared run gives the reference's own observations, not only equal ones.
            is_same = [*map(id, observations)] == [*map(id, reference)]
            is_reference_itself = name in shared.keys and is_same
            if is_reference_itself:
                outcome.shared[name] = shared.keys[name]
            # Stored anew: that it equals the reference (of a shared run), or what it did in its own
            # process; never what was cut, nor another answer of a shared run. A shared run that was
            # cut short was not audited: nothing of it is kept.
            if fresh and is_reference_itself and not candidate.budget.is_over:
                outcome.new_observations[shared.keys[name]] = AS_REFERENCE
            elif fresh and not cut and shared.taken.isdisjoint(map(id, scenario.stimuli)):
                outcome.new_observations[keys[name]] = observations
            if is_reference_itself or (reference and observations == reference):
                if name not in self._reference_verdicts:
                    self._reference_verdicts[name] = self._judge(scenario, observations, arrivals)
                outcome.verdicts[name] = self._reference_verdicts[name]
                continue
            asked = tuple(parameters(stimulus, plan.assignment) for stimulus in scenario.stimuli)
            answers = self._answers.get(name)
            key = verdict_key(keys[name], answers, scenario, judging_digest(), asked, within=within)
            recalled = None if fresh else cache.verdict(key)
            verdict = recalled or self._judge(scenario, observations, arrivals)
            if recalled is None and not cut:
                outcome.new_verdicts[key] = verdict
            outcome.verdicts[name] = verdict
        return outcome

    def _keys_of(self, plan: Plan, candidate: Candidate) -> dict[str, str]:
        return {each.id: self.key_of(candidate.submission, each) for each in plan.scenarios}

    def key_of(self, submission: Submission, scenario: Scenario) -> str:
        """Return the key of the observations of a submission that runs alone."""
        return observation_key(
            source_digest=submission.digest,
            scenario=scenario,
            assignment=self.plan.assignment,
            interpreter=self._driver.interpreter.build,
            tier=self._driver.tier,
            execution_digest=execution_digest(),
        )

    def _judge(
        self, scenario: Scenario, observations: tuple[Observation, ...], arrivals: Arrivals
    ) -> Verdict:
        """With the scenario's hint. HarnessError where what is expected cannot be compared."""
        if any(seen.ending is Ending.HARNESS_ERROR for seen in observations):
            return Verdict(kind=VerdictKind.HARNESS_ERROR)

        def of_draw(index: int) -> Verdict:
            return arrivals.verdict(scenario, index, observations[index])

        try:
            if scenario.is_sample:
                draws = enumerate(observations)
                kinds = [arrivals.kind(scenario, index, seen) for index, seen in draws]
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
class SpeedTrials:
    """Measures submissions beside the reference, which runs in a server of its own."""

    setup: GraderSetup
    driver: AnyDriver
    stack: ExitStack  # holds the reference's server from its first use on
    server: Observer | None = None
    seconds: dict[str, float] = field(default_factory=dict)  # of the reference, by scenario id

    def verdict(
        self, scenario: Scenario, server: Observer, seen: tuple[Observation, ...]
    ) -> Verdict | None:
        """The verdict that a scenario whose answers `seen` are right took too long; None if it did
        not, or that cannot be told: without a reference, and where processes themselves report
        their time."""
        of_setup = self.setup.timed_beside
        reference = self.setup.reference if of_setup is None else of_setup
        if not scenario.faster_than or not reference or self.driver.tier is Tier.PORTABLE:
            return None
        if self.server is None:
            opened = self.driver.submission(self.setup.plan.assignment, reference)
            self.server = calibrated(self.stack.enter_context(opened), self.setup.slowness)
        needed = self.seconds.get(scenario.id)
        run = seen
        for attempt in range(TRIES):
            if attempt:
                run = run_scenario(server, scenario, scenario.limits)
            if run[-1].ending is Ending.HARNESS_ERROR:
                return Verdict(kind=VerdictKind.HARNESS_ERROR)
            if run[-1].ending is Ending.NOT_RUN:
                return out_of_budget()
            if needed is None or attempt:
                needed = _seconds(run_scenario(self.server, scenario, scenario.limits))
                self.seconds[scenario.id] = needed
            same = tuple(map(reduced, run)) == tuple(map(reduced, seen))
            if same and _seconds(run) < scenario.faster_than * max(needed, LEAST_SECONDS):
                return None
        times = f"at least {scenario.faster_than} times as long as ours"
        message = f"The answer is right, but takes {times}."
        explanation = replace(stated(TOO_SLOW, message), hint=scenario.hint)
        return Verdict(kind=VerdictKind.FAILED, explanation=explanation)


def _seconds(seen: tuple[Observation, ...]) -> float:
    return sum(each.cpu_seconds for each in seen)
