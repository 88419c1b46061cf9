"""One submission: read it, run it, judge it, mark it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from hashlib import sha256
from types import TracebackType
from typing import Protocol, Self

from harness.common.errors import HarnessError
from harness.execution import AnyDriver, ToolFailed
from harness.grading.answer_key import expectation, parameters
from harness.grading.digests import execution_digest, judging_digest
from harness.grading.observing.blame import LARGEST_SOURCE, Substitutable, SubstitutedRuns
from harness.grading.observing.looping import LIMIT_ENDINGS
from harness.grading.observing.running import Observer, run_all
from harness.grading.observing.shared_run import CheckedObserver, SharedRuns, Together
from harness.grading.policy_check import read_program
from harness.judging import (
    Failing,
    Judge,
    combine,
    derive,
    failing,
    find_blame,
    merge_stand_in_verdict,
    refine,
    unreadable,
    unsettled,
)
from harness.marking import mark, with_stakes
from harness.model.assignment import SourceFile
from harness.model.causes import Cause
from harness.model.expectation import AnswerKey
from harness.model.observation import Ending, Observation
from harness.model.plan import Plan, Scenario
from harness.model.policy import PolicyReport
from harness.model.result import Isolation, SubmissionResult
from harness.model.submission import Submission
from harness.model.verdict import Verdict, VerdictKind
from harness.policy import (
    ENTRY,
    POLICY_DIGEST,
    SOURCES,
    unchecked,
)
from harness.results import encoded, observation_key, shared_key, verdict_key


class ResultCache(Protocol):
    """Where earlier observations and verdicts are kept."""

    def observations(self, key: str) -> tuple[Observation, ...] | None:
        """What was observed under this key."""

    def verdict(self, key: str) -> Verdict | None:
        """What was judged under this key."""


class EmptyCache:
    """Nothing was ever observed."""

    def observations(self, key: str) -> tuple[Observation, ...] | None:
        """Nothing."""
        return None

    def verdict(self, key: str) -> Verdict | None:
        """Nothing."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A result, and what is new of the observations and verdicts behind it, by their keys. No
    observations under a key: the reference's. `warning` is about our own machinery. `seen` has, by
    scenario, a digest of its observations in every channel, where that was asked for."""

    result: SubmissionResult
    observations: Mapping[str, tuple[Observation, ...]]
    verdicts: Mapping[str, Verdict]
    warning: str = ""
    seen: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """Of one run: observations and verdicts by scenario, and the new ones by their keys."""

    observations: dict[str, tuple[Observation, ...]] = field(default_factory=dict)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    new_observations: dict[str, tuple[Observation, ...]] = field(default_factory=dict)
    new_verdicts: dict[str, Verdict] = field(default_factory=dict)
    isolation: Isolation = Isolation.ALONE
    isolation_reason: str = ""
    warning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shared:
    """By scenario: the key of what it did in a shared process, and what an earlier run saw.
    `taken` are the identities of the stimuli that were taken from a shared run."""

    keys: dict[str, str] = field(default_factory=dict)
    observations: dict[str, tuple[Observation, ...]] = field(default_factory=dict)
    taken: set[int] = field(default_factory=set)


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
        secret: bytes | None = None,
        digests: bool = False,
    ) -> None:
        """`reference` answers in place of a submission's functions, to see which of them is to
        blame (empty: causes are told without that). `secret` chooses what the audits of shared runs
        look at (None: another one each time). With `digests`, `Graded.seen` is filled."""
        self._digests = digests
        self._plan = plan
        self._key = key if key.scenarios else None
        self._driver = driver
        self._reference = reference
        self._substitutable = Substitutable.of(plan, reference)
        self._thorough = thorough
        self._stack = ExitStack()
        self._answers = {entry.scenario_id: entry.answers for entry in key.scenarios}
        self._judges: dict[tuple[str, int], Judge] = {}
        self._secret = secret or os.urandom(32)
        self._shared = SharedRuns(plan, self._key, self._secret)
        self._as_reference: dict[str, Verdict] = {}

    def __enter__(self) -> Self:
        self._policy = self._stack.enter_context(self._driver.tool(SOURCES, ENTRY))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def grade(
        self,
        submission: Submission,
        cache: ResultCache | None = None,
        *,
        only: frozenset[str] | None = None,
    ) -> Graded:
        """The whole way from the bytes to the mark, on all scenarios or `only` these."""
        plan = self._plan
        if only is not None:
            plan = plan.subset(lambda scenario: scenario.id in only)
        if submission.withheld is not None:
            withheld = mark(plan, {}, PolicyReport(), submission=submission)
            return Graded(result=withheld, observations={}, verdicts={})
        report = PolicyReport() if submission.problem else self._read(submission)
        if submission.problem or report.unparsable:
            unread = Verdict(kind=VerdictKind.UNREADABLE)
            verdicts = {scenario.id: unread for scenario in plan.scenarios}
            result = mark(plan, verdicts, report, submission=submission)
            cause = unreadable(submission.problem, report.unparsable, result.out_of)
            result = replace(result, causes=(cause,))
            return Graded(result=result, observations={}, verdicts={})
        return self._run_and_judge(plan, submission, report, cache or EmptyCache())

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

            def run(part: Plan) -> _Outcome:
                return self._observe_and_judge(part, server, submission.digest, cache)

            first = self._observe_first(plan, server, submission, report, cache)
            again = [s for s in plan.scenarios if s.stand_ins and _failed(first.verdicts[s.id])]
            standing_in = tuple(scenario.standing_in() for scenario in again)
            second = run(replace(plan, scenarios=standing_in)) if again else _Outcome()
            # Siblings explain best side by side, each from the run that its verdict is of.
            observations = first.observations | second.observations
            verdicts = refine(plan, first.verdicts | second.verdicts, observations, self._key)
            for scenario in again:
                own, other = first.verdicts[scenario.id], verdicts[scenario.id]
                verdicts[scenario.id] = merge_stand_in_verdict(own, other, scenario.stand_ins)
            failures = failing(plan, verdicts, observations, report.outline)
            causes, bits = self._causes(failures, server, submission, report, cache)
        result = replace(
            mark(plan, verdicts, report, submission=submission),
            isolation=first.isolation,
            isolation_reason=first.isolation_reason,
        )
        return Graded(
            result=with_stakes(plan, result, causes),
            observations=first.new_observations | second.new_observations,
            verdicts=first.new_verdicts | second.new_verdicts | bits,
            warning=first.warning,
            seen=_digests(first.observations | second.observations) if self._digests else {},
        )

    def _causes(
        self,
        failures: tuple[Failing, ...],
        server: Observer,
        submission: Submission,
        report: PolicyReport,
        cache: ResultCache,
    ) -> tuple[tuple[Cause, ...], dict[str, Verdict]]:
        """The causes of these failures, and the new bits of substituted runs by their keys."""
        outline = report.outline
        own = self._substitutable.within(outline, self._plan.assignment)
        failed = replace(self._plan, scenarios=tuple(each.scenario for each in failures))
        keys = self._keys_of(submission.digest, failed)

        def judge(each: Failing, seen: Observation) -> bool:
            return self._judge_of(each.scenario, each.verdict.draw or 0).verdict(seen).passed

        def salt(each: Failing) -> str:
            parts = (keys[each.scenario.id], str(each.verdict.draw), judging_digest())
            return "\n".join([*parts, self._plan.reference_digest])

        runs = SubstitutedRuns(
            server,
            constants=own.constants,
            answers=self._answers,
            judge=judge,
            recall=cache.verdict,
            salt=salt,
        )
        size = sum(len(file.data) for file in submission.files)
        can_substitute = bool(self._reference) and size <= LARGEST_SOURCE
        blame = find_blame(
            unsettled(failures, outline),
            outline,
            own.functions,
            frozenset(own.constants),
            runs.passes if can_substitute else None,
        )
        return derive(failures, outline, blame), runs.found

    def _observe_first(
        self,
        plan: Plan,
        server: Observer,
        submission: Submission,
        report: PolicyReport,
        cache: ResultCache,
    ) -> _Outcome:
        """Together where the program is proved to keep nothing, else each scenario alone."""
        digest = submission.digest
        proof = report.statelessness
        if proof is None or not proof.proved:
            reason = proof.reason if proof is not None else ""
            found = self._observe_and_judge(plan, server, digest, cache)
            return replace(found, isolation_reason=reason)
        runs = self._shared
        if plan is not self._plan:  # a part of it has other numbers for its sets of constants
            runs = SharedRuns(plan, self._key, self._secret)
        keys = self._keys_of(digest, plan)
        known = self._known_shared(runs, plan, server, keys, cache)
        alone = [s for s in plan.scenarios if s.id not in known.observations]
        left = [s for s in alone if cache.observations(keys[s.id]) is None]
        together = Together()
        if left or not known.observations:
            together = runs.run(server, digest, left or plan.scenarios)
        if together.refused:
            found = self._observe_and_judge(plan, server, digest, cache)
            return replace(found, isolation_reason=together.refused)
        checked = CheckedObserver(server, together, known.taken)
        found = self._observe_and_judge(plan, checked, digest, cache, known=known, keys=keys)
        if checked.refuted is None:
            return replace(found, isolation=Isolation.SHARED)
        name = next(s.id for s in plan.scenarios if checked.refuted in s.stimuli)
        reason = f"{name} does not do alone what it did in the shared run"
        found = self._observe_and_judge(plan, server, digest, cache)
        return replace(
            found,
            isolation_reason=reason,
            warning=f"{reason}: all its scenarios ran alone; please report this to the makers of "
            "the harness",
        )

    def _known_shared(
        self,
        runs: SharedRuns,
        plan: Plan,
        server: Observer,
        keys: Mapping[str, str],
        cache: ResultCache,
    ) -> _Shared:
        """The keys of what may have run in a shared process, and what earlier runs saw there."""
        known = _Shared()
        references = runs.expected_digests(server)
        for scenario in plan.scenarios:
            reference = references.get(scenario.id)
            if reference is None:
                continue
            name = shared_key(keys[scenario.id], POLICY_DIGEST, reference)
            known.keys[scenario.id] = name
            seen = cache.observations(name)
            if seen is not None:
                known.observations[scenario.id] = seen or self._reference_of(scenario)
        return known

    def _reference_of(self, scenario: Scenario) -> tuple[Observation, ...]:
        return tuple(answer.observation for answer in self._answers[scenario.id])

    def _is_as_reference(self, scenario: Scenario, observations: tuple[Observation, ...]) -> bool:
        """Whether these are the reference's own observations, not only equal ones."""
        answers = self._answers.get(scenario.id, ())
        return len(answers) == len(observations) and all(
            seen is answer.observation for seen, answer in zip(observations, answers, strict=True)
        )

    def _equals_reference(self, scenario: Scenario, observations: tuple[Observation, ...]) -> bool:
        """Whether these are as the reference's, so that the verdict is the same as well."""
        answers = self._answers.get(scenario.id)
        return bool(answers) and observations == self._reference_of(scenario)

    def _observe_and_judge(
        self,
        plan: Plan,
        server: Observer,
        digest: str,
        cache: ResultCache,
        *,
        known: _Shared | None = None,
        keys: Mapping[str, str] | None = None,
    ) -> _Outcome:
        known = known or _Shared()
        keys = keys or self._keys_of(digest, plan)
        ran = run_all(
            server,
            plan,
            self._key,
            recall=lambda s: known.observations.get(s.id) or cache.observations(keys[s.id]),
            thorough=self._thorough,
        )
        found = _Outcome(observations=dict(ran.observations))
        for scenario in plan.scenarios:
            seen = ran.observations[scenario.id]
            shared = scenario.id in known.keys and self._is_as_reference(scenario, seen)
            if scenario.id in ran.fresh:
                if shared:
                    found.new_observations[known.keys[scenario.id]] = ()
                elif not any(id(stimulus) in known.taken for stimulus in scenario.stimuli):
                    found.new_observations[keys[scenario.id]] = seen
            if shared or self._equals_reference(scenario, seen):
                verdict = self._as_reference.get(scenario.id)
                if verdict is None:
                    verdict = self._as_reference[scenario.id] = self._judge(scenario, seen)
                found.verdicts[scenario.id] = verdict
                continue
            name = verdict_key(
                keys[scenario.id],
                self._answers.get(scenario.id),
                scenario,
                judging_digest(),
                tuple(parameters(s, plan.assignment) for s in scenario.stimuli),
                within=plan.assignment.floats_within,
            )
            kept = None if scenario.id in ran.fresh else cache.verdict(name)
            if kept is None:
                kept = self._judge(scenario, ran.observations[scenario.id])
                found.new_verdicts[name] = kept
            found.verdicts[scenario.id] = kept
        return found

    def _keys_of(self, digest: str, plan: Plan) -> dict[str, str]:
        """The keys of what is observed of this submission in processes of their own."""
        return {
            scenario.id: observation_key(
                source_digest=digest,
                scenario=scenario,
                assignment=self._plan.assignment,
                interpreter=self._driver.interpreter.build,
                tier=self._driver.tier,
                execution_digest=execution_digest(),
            )
            for scenario in plan.scenarios
        }

    def _judge(self, scenario: Scenario, observations: tuple[Observation, ...]) -> Verdict:
        verdicts: list[Verdict] = []
        for index, observation in enumerate(observations):
            if observation.ending is Ending.HARNESS_ERROR:
                return Verdict(kind=VerdictKind.HARNESS_ERROR)
            try:
                verdicts.append(self._judge_of(scenario, index).verdict(observation))
            except HarnessError as failure:
                raise HarnessError(f"{scenario.id}: {failure}") from None
        verdict = combine(tuple(verdicts)) if scenario.is_sample else verdicts[0]
        return _with_hint(verdict, scenario.hint)

    def _judge_of(self, scenario: Scenario, index: int) -> Judge:
        found = self._judges.get((scenario.id, index))
        if found is None:
            answers = self._answers.get(scenario.id)
            stimulus = scenario.stimuli[index]
            answer = answers[index] if answers and index < len(answers) else None
            expected_turns = expectation(scenario, stimulus, answer, self._plan.assignment)
            found = self._judges[scenario.id, index] = Judge(expected_turns, stimulus)
        return found


def _with_hint(verdict: Verdict, hint: str) -> Verdict:
    """The verdict with the lecturer's hint behind its sentence."""
    if verdict.explanation is None or not hint:
        return verdict
    message = f"{verdict.explanation.message} Hint: {hint}"
    return replace(verdict, explanation=replace(verdict.explanation, message=message))


def _failed(verdict: Verdict) -> bool:
    return not verdict.passed and verdict.kind is not VerdictKind.HARNESS_ERROR


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
