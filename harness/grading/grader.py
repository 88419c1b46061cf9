"""One submission: read it, run it, judge it, mark it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Self

from harness.execution import AnyDriver, ToolFailed
from harness.grading.observing.causes import CauseFinder
from harness.grading.observing.first_failures import FailureSearch, FirstFailures
from harness.grading.observing.in_turn import SpeedTrials, run_in_turn
from harness.grading.observing.judged_runs import JudgedRuns
from harness.grading.observing.running import LIMIT_ENDINGS, read_program
from harness.judging import (
    failing,
    merge_stand_in_verdict,
    refine,
    unreadable,
)
from harness.marking import excused, mark, with_stakes
from harness.model.assignment import SourceFile
from harness.model.expectation import AnswerKey
from harness.model.observation import Observation
from harness.model.plan import Plan
from harness.model.policy import PolicyReport
from harness.model.result import SubmissionResult
from harness.model.submission import Submission
from harness.model.verdict import Verdict
from harness.policy import (
    ENTRY,
    SOURCES,
    unchecked,
)
from harness.results import EmptyCache, ResultCache, encoded


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
        name: sha256(encoded(_timeless(seen))).hexdigest() for name, seen in observations.items()
    }


def _timeless(observations: tuple[Observation, ...]) -> tuple[Observation, ...]:
    """Without what depends on how fast the machine is: how far a program came until a limit."""
    return tuple(
        Observation(ending=seen.ending, phase=seen.phase) if seen.ending in LIMIT_ENDINGS else seen
        for seen in observations
    )
