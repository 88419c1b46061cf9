"""Grades one submission: reads it, runs it, judges it and computes its mark."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Self

from harness.common.errors import HarnessError, place_of
from harness.common.escaping import visible
from harness.common.logs import logger_of
from harness.execution import PREPARING_SECONDS, TOOL_LIMITS, AnyDriver, ToolFailed
from harness.grading.cells import in_cells, with_stopped_cells
from harness.grading.observing.budget import (
    Stopwatch,
    SubmissionBudget,
    Used,
    budgeted,
    calibrated,
)
from harness.grading.observing.causes.evidence import evidence_of, failures_of
from harness.grading.observing.causes.finding import CauseFinder, FoundCauses
from harness.grading.observing.causes.reference_calls import ReferenceCalls
from harness.grading.observing.draws import (
    LIMIT_ENDINGS,
    AloneObserver,
    DrawObserver,
    Observer,
    StimulusId,
)
from harness.grading.observing.further_runs.luck import Variations
from harness.grading.observing.further_runs.speed import SpeedTrials
from harness.grading.observing.in_order import RunsInOrder, RunsSoFar, TryAgain
from harness.grading.observing.judged_runs import JudgedRuns
from harness.grading.observing.running import read_program
from harness.grading.observing.setup import Candidate, GraderSetup
from harness.grading.observing.shared_process.checked import CheckedObserver
from harness.grading.observing.shared_process.shared_run import SharedRunResult
from harness.judging.causes.deriving import unreadable
from harness.judging.causes.failed_scenarios import failing
from harness.judging.causes.undefined import undefined_functions
from harness.judging.explain.siblings import refine
from harness.judging.judge import merge_stand_in_verdict
from harness.judging.not_taken import with_not_taken
from harness.judging.shown_text import without_internals
from harness.marking.mark import held_if_undecided, mark, with_stakes, without_mark
from harness.model.explanation.facts import NotJudged
from harness.model.explanation.probes import Probe
from harness.model.observation import Ending, Observation
from harness.model.plan import Plan, Scenario
from harness.model.policy import PolicyReport
from harness.model.result import CausesPending, SubmissionResult, SubmissionStatus
from harness.model.stimulus import Limits
from harness.model.submission import Submission
from harness.model.verdict import Verdict
from harness.policy.rule import unchecked
from harness.policy.sources import ENTRY, SOURCES
from harness.results.reuse import ResultCache, StoredRun, encoded

_log = logger_of(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A result, and the new observations (`runs`), verdicts and probes behind it, by their keys.

    `observed_digests` has, by scenario, a
    digest of its observations in every channel; empty unless asked for.
    """

    result: SubmissionResult
    runs: Mapping[str, StoredRun] = field(default_factory=dict)
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    probes: Mapping[str, Probe] = field(default_factory=dict)
    observed_digests: Mapping[str, str] = field(default_factory=dict)
    used: Used = field(default_factory=Used)
    paused: bool = False  # the result covers only some scenarios, because it took long
    so_far: RunsSoFar | None = None  # the earlier runs of a paused submission
    kept: float = 0.0  # for a paused submission, the share of its scenarios that will not run again
    seconds: float = 0.0  # of real time
    shared: int = 0  # scenarios that passed in shared processes
    # Each scenario had its own process because of an object that might change unseen.
    not_plain: bool = False


OnPart = Callable[[RunsSoFar, Used], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """A submission to be graded, with its plan, known facts and limits."""

    plan: Plan
    submission: Submission
    cache: ResultCache
    budget: SubmissionBudget
    so_far: RunsSoFar | None = None
    causes_later: bool = False
    may_try_again: bool = False
    on_part: OnPart = lambda so_far, used: None


class Grader(AbstractContextManager["Grader"]):
    """Grades submissions one after another with one driver."""

    def __init__(self, setup: GraderSetup, driver: AnyDriver) -> None:
        self._setup = setup
        self._plan = setup.plan
        self._driver = driver
        self._stack = ExitStack()
        self._runs = JudgedRuns(setup, driver)
        self._variations = Variations(driver, self._stack)
        self._speed = SpeedTrials(setup=setup, driver=driver, stack=self._stack)
        calls = ReferenceCalls(
            driver=driver,
            stack=self._stack,
            assignment=setup.plan.assignment,
            reference=setup.reference,
            slowness=setup.slowness,
        )
        self._causes = CauseFinder(
            setup.reference,
            self._runs,
            calls,
            for_students=setup.for_students,
            probes=setup.probes,
        )

    def __enter__(self) -> Self:
        self._policy = self._stack.enter_context(self._driver.tool(SOURCES, ENTRY))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def grade(
        self,
        submission: Submission,
        cache: ResultCache | None = None,
        *,
        only: frozenset[str] | None = None,
        before: Used | None = None,
        so_far: RunsSoFar | None = None,
        pause_after: float | None = None,
        causes_later: bool = False,
        may_try_again: bool = False,
        on_part: OnPart = lambda so_far, used: None,
    ) -> Graded:
        """Grade a submission, from its bytes to its mark, on all scenarios or `only` these.

        If it was paused, it goes on from the time that it had used (`before`) and from the runs
        that it had found (`so_far`). If causes are to be found later, they are pending in its
        result. If our own code fails on it, it is held for review with the place of the failure.
        `on_part` is called with the findings, and the time used, before scenarios of another
        visibility run. Raise HarnessError if one of our processes failed. With `may_try_again`
        raise TryAgain instead, also if a scenario could not be observed.
        """
        budget = SubmissionBudget(
            self._setup.total_seconds,
            before,
            pause_after=pause_after,
            slowness=self._setup.slowness,
            beside=self._driver.meter,
        )
        task = _Task(
            plan=self._plan_of(only),
            submission=submission,
            cache=cache or ResultCache(),
            budget=budget,
            so_far=so_far,
            causes_later=causes_later,
            may_try_again=may_try_again,
            on_part=on_part,
        )
        _log.info("grading %s", visible(submission.id))
        begun = time.monotonic()
        try:
            graded = self._read_and_grade(task)
        except (HarnessError, TryAgain):
            raise
        except Exception as error:
            return self._without_mark(submission, error)
        seconds = time.monotonic() - begun
        result = in_cells(_with_reason(graded.result))
        return replace(graded, result=result, seconds=seconds)

    def _plan_of(self, only: frozenset[str] | None) -> Plan:
        """Return the plan, or its part with only these scenarios."""
        if only is None:
            return self._plan
        return self._plan.subset(lambda scenario: scenario.id in only)

    def find_causes(
        self,
        submission: Submission,
        result: SubmissionResult,
        cache: ResultCache | None = None,
    ) -> Graded:
        """Find the pending causes of a submission with this result of `grade`, on the whole plan.
        Our own failures are treated as in `grade`."""
        if result.pending is None:
            return Graded(result=result)
        _log.info("looking for causes in %s", visible(submission.id))
        try:
            return self._with_pending(submission, result, result.pending, cache or ResultCache())
        except HarnessError:
            raise
        except Exception as error:
            return self._without_mark(submission, error)

    def _without_mark(self, submission: Submission, error: Exception) -> Graded:
        without = without_mark(self._plan, submission, SubmissionStatus.HARNESS_ERROR)
        problem = _NOT_GRADED.format(place_of(error))
        return Graded(result=replace(without, problem=problem, flagged=True))

    def _with_pending(
        self,
        submission: Submission,
        result: SubmissionResult,
        pending: CausesPending,
        cache: ResultCache,
    ) -> Graded:
        plan, setup = self._plan, self._setup
        used = Used(cpu=pending.cpu_seconds, waiting=pending.waiting_seconds)
        budget = SubmissionBudget(
            setup.total_seconds, used, slowness=setup.slowness, beside=self._driver.meter
        )
        budget.is_over = result.over_budget is not None
        task = _Task(plan=plan, submission=submission, cache=cache, budget=budget)
        failures = failures_of(result, pending, plan)
        passing = {entry.scenario_id for entry in result.scenarios if entry.verdict.passed}
        passed = tuple(scenario for scenario in plan.scenarios if scenario.id in passing)
        with self._opened(task, self._read_within(task)) as candidate:
            found = self._causes.find(failures, passed, candidate)
        result = replace(with_causes(plan, result, found), pending=None)
        return Graded(result=in_cells(result), probes=found.probes, used=budget.used())

    @contextmanager
    def _opened(self, task: _Task, report: PolicyReport) -> Iterator[Candidate]:
        """Yield the running processes of a submission, and end them afterwards."""
        submission, budget = task.submission, task.budget
        assignment = task.plan.assignment
        reference = self._setup.reference
        with ExitStack() as stack:
            starting = self._driver.submission(
                assignment,
                submission.files,
                reference,
                budget.for_ours(PREPARING_SECONDS),
            )
            with Stopwatch(budget):
                server = stack.enter_context(starting)
            yield Candidate(
                submission=submission,
                server=budgeted(server, budget),
                report=report,
                cache=task.cache,
                budget=budget,
            )

    def _read_and_grade(self, task: _Task) -> Graded:
        plan, submission = task.plan, task.submission
        if submission.withheld is not None:
            return Graded(result=mark(plan, {}, PolicyReport(), submission=submission))
        report = PolicyReport() if submission.problem else self._read_within(task)
        if submission.problem or report.unparsable:
            result = mark(plan, {}, report, submission=submission)
            cause = unreadable(submission.problem, report.unparsable, result.out_of)
            return Graded(result=replace(result, causes=(cause,)))
        return self._run_and_judge(task, report)

    def first_failures(
        self, submission: Submission, *, first: frozenset[str], most: int
    ) -> FirstFailures:
        """Return the first `most` scored scenarios that a course program fails: from the ids in
        `first` or, if it passes these, from the others.

        The search ends with a failure that used up its whole time. The same program always gives
        the same answer.
        """
        scored = [scenario for scenario in self._plan.scenarios if not scenario.informational]
        report = self._read(submission)
        if report.unparsable:
            return FirstFailures(scenarios=tuple(scenario.id for scenario in scored[:most]))
        failed: list[str] = []
        with self._driver.submission(self._plan.assignment, submission.files) as uncalibrated:
            server = calibrated(uncalibrated, self._setup.slowness)
            for is_first in (True, False):
                group = [candidate for candidate in scored if (candidate.id in first) is is_first]
                for scenario, ran_out in self._failing(server, group, report.sharing.allowed):
                    failed.append(scenario.id)
                    if ran_out or len(failed) >= most:
                        return FirstFailures(scenarios=tuple(failed))
                if failed:
                    break
        return FirstFailures(scenarios=tuple(failed))

    def _failing(
        self, server: Observer, scenarios: Sequence[Scenario], may_share: bool
    ) -> Iterator[tuple[Scenario, bool]]:
        """Yield each failing scenario, and whether one of its runs reached a time limit."""
        shared = SharedRunResult()
        if may_share and scenarios:
            shared = self._runs.shared.run(server, scenarios)
        observer = CheckedObserver(server, replace(shared, audit=frozenset()))
        failed: set[str] = set()
        for scenario in _likely_to_fail(scenarios, shared):
            wrong = self._first_wrong(observer, scenario)
            if observer.refuted is not None:
                left = [other for other in scenarios if other.id not in failed]
                yield from self._failing(server, left, may_share=False)
                return
            if wrong is None or self._passes_standing_in(server, scenario):
                continue
            failed.add(scenario.id)
            yield scenario, wrong.ending in LIMIT_ENDINGS

    def _passes_standing_in(self, server: Observer, scenario: Scenario) -> bool:
        """Return whether the scenario passes with the course's modules instead of the
        submission's.
        """
        if not scenario.stand_ins:
            return False
        return self._first_wrong(AloneObserver(server), scenario.standing_in()) is None

    def _first_wrong(self, observer: DrawObserver, scenario: Scenario) -> Observation | None:
        """Return the observation of its first stimulus with an unexpected outcome."""
        for index in range(len(scenario.stimuli)):
            observed = observer.observe_draw(scenario, index, scenario.limits).observation
            if observed.ending is Ending.HARNESS_ERROR:
                raise HarnessError(f"{scenario.id} was not observed")
            if not self._runs.judge_of(scenario, index).verdict(observed).passed:
                return observed
        return None

    def _read_within(self, task: _Task) -> PolicyReport:
        """Return the policy's report on a submission, and charge its budget."""
        seconds = task.budget.for_ours(TOOL_LIMITS.cpu_seconds)
        with Stopwatch(task.budget):
            return self._read(task.submission, replace(TOOL_LIMITS, cpu_seconds=seconds))

    def _read(self, submission: Submission, limits: Limits = TOOL_LIMITS) -> PolicyReport:
        try:
            return read_program(self._policy, self._plan.assignment, submission.files, limits)
        except ToolFailed as failure:
            # It may run anyway: it is graded, and a person is asked to read it.
            reason = f"the limits of the check were reached: {failure}"
            return PolicyReport(findings=(unchecked(submission.files[0].name, reason),))

    def _run_and_judge(self, task: _Task, report: PolicyReport) -> Graded:
        plan, submission, budget = task.plan, task.submission, task.budget
        with self._opened(task, report) as candidate:
            in_order = RunsInOrder(
                runs=self._runs,
                speed=self._speed,
                variations=self._variations,
                plan=plan,
                candidate=candidate,
                whole_parts=task.so_far,
                may_try_again=task.may_try_again,
                on_part=lambda so_far: task.on_part(so_far, budget.used()),
            )
            in_order.run()
            as_submitted, standing_in = in_order.as_submitted, in_order.standing_in
            verdicts = self._explained(plan, submission, in_order)
            failures = failing(plan, verdicts, as_submitted.observations)
            passed = tuple(scenario for scenario in plan.scenarios if verdicts[scenario.id].passed)
            found = FoundCauses()
            if not task.causes_later:
                found = self._causes.find(failures, passed, candidate)
        used = budget.used()
        result = replace(
            mark(plan, verdicts, report, submission=submission),
            isolation=as_submitted.shown_isolation,
            isolation_reason=as_submitted.isolation_reason,
            undefined=undefined_functions(plan, report.outline) if failures else (),
            pending=evidence_of(failures, used) if failures and task.causes_later else None,
        )
        result = with_stopped_cells(with_causes(plan, result, found), plan)
        return Graded(
            result=held_if_undecided(plan, result, self._setup.total_seconds),
            used=used,
            paused=budget.is_paused,
            so_far=in_order.whole_parts if budget.is_paused else None,
            kept=_share_kept(in_order, verdicts),
            shared=len(as_submitted.shared),
            not_plain=as_submitted.not_plain,
            runs=as_submitted.new_runs | standing_in.new_runs,
            verdicts=as_submitted.new_verdicts | standing_in.new_verdicts,
            probes=found.probes,
            observed_digests=self._observed_digests(in_order),
        )

    def _observed_digests(self, ran: RunsInOrder) -> dict[str, str]:
        """Return a digest of each scenario's last observations, if the setup asks for them."""
        if not self._setup.digests:
            return {}
        digests: dict[str, str] = {}
        observations = ran.as_submitted.observations | ran.standing_in.observations
        for scenario_id, of_scenario in observations.items():
            digests[scenario_id] = _digest(of_scenario)
        return digests

    def _explained(
        self, plan: Plan, submission: Submission, ran: RunsInOrder
    ) -> dict[str, Verdict]:
        """Return the verdicts of all runs.

        Runs with stand-ins are not explained or shown: they may hold a stand-in's answers.
        """
        as_submitted = ran.as_submitted
        verdicts = refine(
            plan, as_submitted.verdicts, as_submitted.observations, self._setup.compared_with
        )
        taken = [file.name for file in submission.files]
        not_taken = submission.not_taken
        verdicts = with_not_taken(verdicts, as_submitted.observations, not_taken, taken)
        files = plan.assignment.submission_files
        for scenario in plan.scenarios:
            standing_in = ran.standing_in.verdicts.get(scenario.id)
            if standing_in is not None:
                verdicts[scenario.id] = merge_stand_in_verdict(
                    verdicts[scenario.id], standing_in, scenario, files
                )
        return verdicts


def _likely_to_fail(scenarios: Iterable[Scenario], shared: SharedRunResult) -> tuple[Scenario, ...]:
    """Return the scenarios that did not pass in the shared run: first those with a different
    result, then those that did not end."""
    different: list[Scenario] = []
    unknown: list[Scenario] = []
    for scenario in scenarios:
        ids = [StimulusId(scenario.id, index) for index in range(len(scenario.stimuli))]
        if any(name in shared.differs for name in ids):
            different.append(scenario)
        elif any(name not in shared.passed for name in ids):
            unknown.append(scenario)
    return (*different, *unknown)


def with_causes(plan: Plan, result: SubmissionResult, found: FoundCauses) -> SubmissionResult:
    """Return the result with causes and their costs."""
    students = found.for_students
    return replace(
        result,
        causes=with_stakes(plan, result, found.causes),
        students_causes=None if students is None else with_stakes(plan, result, students),
    )


def _share_kept(ran: RunsInOrder, verdicts: Mapping[str, Verdict]) -> float:
    """Return the share of the scenarios that are not run again when a paused submission goes on:
    those of whole parts, and those with stored observations from their own process."""
    kept = set(ran.whole_parts.as_submitted.verdicts) if ran.whole_parts is not None else set()
    for name, verdict in verdicts.items():
        if not verdict.undecided and name not in ran.as_submitted.shared:
            kept.add(name)
    return len(kept) / max(1, len(verdicts))


_NOT_GRADED = "the harness failed on this submission ({}); a person must look at it"


def _with_reason(result: SubmissionResult) -> SubmissionResult:
    """Return the result; if some of its scenarios could not be judged, held with the reason of the
    first.
    """
    for entry in result.scenarios:
        explanation = entry.verdict.explanation
        facts = explanation.facts if explanation is not None else None
        if isinstance(facts, NotJudged):
            problem = _NOT_GRADED.format(f"This could not be judged: {facts.place}")
            return replace(result, problem=problem, flagged=True)
    return result


def _digest(observations: tuple[Observation, ...]) -> str:
    """Return a digest of everything that is the same in every run. It ignores how far a program got
    before a limit, and the addresses of its objects.
    """
    settled = tuple(
        Observation(ending=observation.ending, phase=observation.phase)
        if observation.ending in LIMIT_ENDINGS
        else without_internals(observation)
        for observation in observations
    )
    return sha256(encoded(settled)).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstFailures:
    """The ids of the scenarios that a program fails, in the order in which they were tried;
    empty if it passes all.
    """

    scenarios: tuple[str, ...]
