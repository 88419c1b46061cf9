"""One submission: read it, run it, judge it, mark it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Self

from harness.common.errors import HarnessError
from harness.execution import AnyDriver, ToolFailed
from harness.grading.observing.causes import CauseFinder
from harness.grading.observing.judged_runs import JudgedRuns, SpeedTrials, run_in_turn
from harness.grading.observing.running import LIMIT_ENDINGS, Observer, read_program
from harness.grading.observing.shared_run import CheckedObserver, Together
from harness.judging.causes import unreadable
from harness.judging.explain.siblings import refine
from harness.judging.failed_scenarios import failing
from harness.judging.judge import merge_stand_in_verdict, without_addresses
from harness.marking.mark import excused, mark, with_stakes
from harness.model.assignment import SourceFile
from harness.model.expectation import AnswerKey
from harness.model.observation import Ending, Observation
from harness.model.plan import Plan, Scenario
from harness.model.policy import PolicyReport
from harness.model.result import SubmissionResult
from harness.model.submission import Submission
from harness.model.verdict import Verdict
from harness.policy.rule import unchecked
from harness.policy.sources import ENTRY, SOURCES
from harness.results.reuse import EmptyCache, ResultCache, encoded


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A result, and the new observations and verdicts behind it, by their keys.

    A key with no observations means that they equal the reference's. `warning` is about the harness
    itself. `seen` has, by scenario, a digest of its observations in every channel; empty unless
    asked for."""

    result: SubmissionResult
    observations: Mapping[str, tuple[Observation, ...]]
    verdicts: Mapping[str, Verdict]
    seen: Mapping[str, str] = field(default_factory=dict)


class Grader(AbstractContextManager["Grader"]):
    """Grades submissions one after another with one driver."""

    def __init__(
        self,
        plan: Plan,
        key: AnswerKey,
        driver: AnyDriver,
        *,
        reference: tuple[SourceFile, ...] = (),
        thorough: bool = False,
        timed_beside: tuple[SourceFile, ...] | None = None,
        secret: bytes | None = None,
        digests: bool = False,
    ) -> None:
        """`reference` answers in place of a submission's functions, to see which of them is to
        blame (empty: causes are found without that). `timed_beside` is the reference for what must
        be fast (None: the same; empty: no time is judged). `secret` chooses what the audits of
        shared runs look at (None: another one each time). With `digests`, `Graded.seen` is filled.
        """
        self._digests = digests
        self._plan = plan
        self._key = key if key.scenarios else None
        self._driver = driver
        self._reference = reference
        self._stack = ExitStack()
        self._runs = JudgedRuns(plan, key, driver, thorough=thorough, secret=secret)
        timed_beside = reference if timed_beside is None else timed_beside
        self._speed = SpeedTrials(plan, driver, timed_beside, self._stack)
        self._causes = CauseFinder(plan, key, reference, self._runs)

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
    ) -> Graded:
        """Grade a submission, from its bytes to its mark, on all scenarios or `only` these."""
        plan = self._plan
        if only is not None:
            plan = plan.subset(lambda scenario: scenario.id in only)
        if submission.withheld is not None:
            withheld = mark(plan, {}, PolicyReport(), submission=submission)
            return Graded(result=withheld, observations={}, verdicts={})
        report = PolicyReport() if submission.problem else self._read(submission)
        if submission.problem or report.unparsable:
            result = mark(plan, {}, report, submission=submission)
            cause = unreadable(submission.problem, report.unparsable, result.out_of)
            result = replace(result, causes=(cause,))
            return Graded(result=result, observations={}, verdicts={})
        return self._run_and_judge(plan, submission, report, cache or EmptyCache())

    def first_failures(
        self, submission: Submission, *, first: frozenset[str], most: int
    ) -> FirstFailures:
        """The scored scenarios that a program of ours fails, as `FailureSearch.run` finds them."""
        report = self._read(submission)
        search = FailureSearch(self._plan, self._driver, self._runs)
        if report.unparsable:
            return search.unreadable(most)
        sharing = report.sharing
        may_share = sharing is not None and sharing.allowed
        return search.run(submission, first=first, most=most, may_share=may_share)

    def _read(self, submission: Submission) -> PolicyReport:
        try:
            return read_program(self._policy, self._plan.assignment, submission.files)
        except ToolFailed as failure:
            # It may run all the same: it is graded, and a person is asked to read it.
            reason = f"the limits of the check were reached: {failure}"
            return PolicyReport(findings=(unchecked(submission.files[0].name, reason),))

    def _run_and_judge(
        self, plan: Plan, submission: Submission, report: PolicyReport, cache: ResultCache
    ) -> Graded:
        assignment = plan.assignment
        with self._driver.submission(assignment, submission.files, self._reference) as server:
            both = run_in_turn(
                self._runs,
                self._speed,
                plan,
                server,
                submission=submission,
                report=report,
                cache=cache,
                waived=excused(plan, submission),
            )
            first, second = both.first, both.second
            # Siblings explain best side by side, each from the run that its verdict is of.
            observations = first.observations | second.observations
            verdicts = refine(plan, first.verdicts | second.verdicts, observations, self._key)
            for scenario in both.again:
                own, other = first.verdicts[scenario.id], verdicts[scenario.id]
                verdicts[scenario.id] = merge_stand_in_verdict(own, other, scenario.stand_ins)
            failures = failing(plan, verdicts, observations, report.outline)
            passed = tuple(each for each in plan.scenarios if verdicts[each.id].passed)
            causes, bits = self._causes.find(
                failures, passed, report.outline, submission, server, cache=cache
            )
        result = replace(
            mark(plan, verdicts, report, submission=submission),
            isolation=first.isolation,
            isolation_reason=first.isolation_reason,
        )
        return Graded(
            result=with_stakes(plan, result, causes),
            observations=first.new_observations | second.new_observations,
            verdicts=first.new_verdicts | second.new_verdicts | bits,
            seen=_digests(first.observations | second.observations) if self._digests else {},
        )


def _digests(observations: Mapping[str, tuple[Observation, ...]]) -> dict[str, str]:
    return {
        name: sha256(encoded(tuple(map(_settled, seen)))).hexdigest()
        for name, seen in observations.items()
    }


def _settled(seen: Observation) -> Observation:
    """Without what differs from run to run: how far a program came until a limit, and where its
    objects lie."""
    if seen.ending in LIMIT_ENDINGS:
        return Observation(ending=seen.ending, phase=seen.phase)
    return without_addresses(seen)


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstFailures:
    """The ids of scored scenarios that a program fails, in the order in which they were tried.
    None: it fails none of all."""

    scenarios: tuple[str, ...]


class FailureSearch:
    """Looks for scored scenarios that a program fails, and stops after the first few.

    What a program does in a shared process is used to choose what to run alone; a scenario counts
    as failed by what the program does alone. The same program gives the same answer in every run.
    """

    def __init__(self, plan: Plan, driver: AnyDriver, runs: JudgedRuns) -> None:
        """`runs` are those of the whole plan."""
        self._assignment = plan.assignment
        self._scored = tuple(s for s in plan.scenarios if not s.informational)
        self._driver = driver
        self._runs = runs

    def run(
        self, submission: Submission, *, first: frozenset[str], most: int, may_share: bool
    ) -> FirstFailures:
        """The first `most` failures among the scenarios of the ids `first`; where there are none,
        among the others. A failure that took its whole time is the last that is looked for.
        `may_share`: the program may share a process. HarnessError when our own machinery
        failed."""
        groups = (
            [s for s in self._scored if s.id in first],
            [s for s in self._scored if s.id not in first],
        )
        found: list[str] = []
        with self._driver.submission(self._assignment, submission.files) as server:
            for group in groups:
                for scenario, ran_out in self._failing(server, group, may_share):
                    found.append(scenario.id)
                    if ran_out or len(found) >= most:
                        return FirstFailures(scenarios=tuple(found))
                if found:
                    break
        return FirstFailures(scenarios=tuple(found))

    def unreadable(self, most: int) -> FirstFailures:
        """The failures of a program that Python cannot read, which are all."""
        return FirstFailures(scenarios=tuple(s.id for s in self._scored[:most]))

    def _failing(
        self,
        server: Observer,
        scenarios: Sequence[Scenario],
        may_share: bool,
    ) -> Iterator[tuple[Scenario, bool]]:
        """Those that fail, and whether one of their stimuli ran into a time limit."""
        together = Together()
        if may_share and scenarios:
            together = self._runs.shared.run(server, scenarios)
        observer = CheckedObserver(server, replace(together, audit=frozenset()), set(), None)
        failed: set[str] = set()
        for scenario in _likely_first(scenarios, together):
            seen = self._first_wrong(observer, scenario)
            if observer.refuted is not None:
                left = [each for each in scenarios if each.id not in failed]
                yield from self._failing(server, left, may_share=False)
                return
            if seen is not None and not self._passes_standing_in(server, scenario):
                failed.add(scenario.id)
                yield scenario, seen.ending in LIMIT_ENDINGS

    def _first_wrong(self, observer: Observer, scenario: Scenario) -> Observation | None:
        """What was observed of its first stimulus that does not do as expected."""
        for index, stimulus in enumerate(scenario.stimuli):
            seen = observer.observe(stimulus, scenario.limits)
            if seen.ending is Ending.HARNESS_ERROR:
                raise HarnessError(f"{scenario.id} was not observed")
            if not self._runs.judge_of(scenario, index).verdict(seen).passed:
                return seen
        return None

    def _passes_standing_in(self, server: Observer, scenario: Scenario) -> bool:
        """Whether it passes with the course's own modules in place of the submission's, as far as
        it has such."""
        if not scenario.stand_ins:
            return False
        return self._first_wrong(server, scenario.standing_in()) is None


def _likely_first(scenarios: Sequence[Scenario], together: Together) -> list[Scenario]:
    """Those that may fail: first those that differed in the shared run, then those that did not
    run there to their end."""
    different, unknown = [], []
    for scenario in scenarios:
        stimuli = [id(stimulus) for stimulus in scenario.stimuli]
        if any(one in together.differs for one in stimuli):
            different.append(scenario)
        elif any(one not in together.passed for one in stimuli):
            unknown.append(scenario)
    return different + unknown
