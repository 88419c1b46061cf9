"""One submission: read it, run it, judge it, mark it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from harness.execution import EXECUTION_DIGEST, Driver, ToolFailed
from harness.grading.expectations import expectation, parameters
from harness.grading.running import run_all
from harness.judging import JUDGING_DIGEST, combine, judge, refine
from harness.marking import mark
from harness.model import serial
from harness.model.answer_key import AnswerKey
from harness.model.observation import Ending, Observation
from harness.model.plan import Plan, Scenario
from harness.model.policy import PolicyReport, Unparsable
from harness.model.result import SubmissionResult
from harness.model.submission import Submission
from harness.model.verdict import Verdict, VerdictKind
from harness.policy import ENTRY, SOURCES, payload
from harness.results import observation_key, verdict_key


class Memory(Protocol):
    """Where earlier observations and verdicts are kept."""

    def observations(self, key: str) -> tuple[Observation, ...] | None:
        """What was observed under this key."""

    def verdict(self, key: str) -> Verdict | None:
        """What was judged under this key."""


class NoMemory:
    """Nothing was ever observed."""

    def observations(self, key: str) -> tuple[Observation, ...] | None:
        """Nothing."""
        return None

    def verdict(self, key: str) -> Verdict | None:
        """Nothing."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A result, and what is new of the observations and verdicts behind it, by their keys."""

    result: SubmissionResult
    observations: Mapping[str, tuple[Observation, ...]]
    verdicts: Mapping[str, Verdict]


class Grader(AbstractContextManager["Grader"]):
    """Grades submissions one after another with one driver."""

    def __init__(
        self, plan: Plan, key: AnswerKey, driver: Driver, *, thorough: bool = False
    ) -> None:
        self._plan = plan
        self._key = key if key.scenarios else None
        self._driver = driver
        self._thorough = thorough
        self._stack = ExitStack()
        self._answers = {entry.scenario_id: entry.answers for entry in key.scenarios}

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
        memory: Memory | None = None,
        *,
        only: frozenset[str] | None = None,
    ) -> Graded:
        """The whole way from the bytes to the mark, on all scenarios or `only` these."""
        plan = self._plan
        if only is not None:
            plan = plan.subset(lambda scenario: scenario.id in only)
        report = PolicyReport() if submission.problem else self._read(submission)
        if submission.problem or report.unparsable:
            unreadable = Verdict(kind=VerdictKind.UNREADABLE)
            verdicts = {scenario.id: unreadable for scenario in plan.scenarios}
            result = mark(plan, verdicts, report, submission=submission)
            return Graded(result=result, observations={}, verdicts={})
        return self._run_and_judge(plan, submission, report, memory or NoMemory())

    def _read(self, submission: Submission) -> PolicyReport:
        request = payload(submission.files, self._plan.assignment.policy)
        try:
            return serial.loads(PolicyReport, self._policy.run(request))
        except ToolFailed as failure:
            reason = f"the file could not be read within the limits ({failure})"
            return PolicyReport(unparsable=Unparsable(file=submission.files[0].name, reason=reason))

    def _run_and_judge(
        self, plan: Plan, submission: Submission, report: PolicyReport, memory: Memory
    ) -> Graded:
        digest = submission.digest
        keys = {scenario.id: self._key_of(digest, scenario) for scenario in plan.scenarios}
        with self._driver.submission(plan.assignment, submission.files) as server:
            ran = run_all(
                server,
                plan,
                self._key,
                recall=lambda scenario: memory.observations(keys[scenario.id]),
                thorough=self._thorough,
            )
        verdicts: dict[str, Verdict] = {}
        new_verdicts: dict[str, Verdict] = {}
        for scenario in plan.scenarios:
            name = verdict_key(
                keys[scenario.id],
                self._answers.get(scenario.id),
                scenario.stated,
                JUDGING_DIGEST,
                tuple(parameters(s, plan.assignment) for s in scenario.stimuli),
            )
            kept = None if scenario.id in ran.fresh else memory.verdict(name)
            if kept is None:
                kept = self._judge(scenario, ran.observations[scenario.id])
                new_verdicts[name] = kept
            verdicts[scenario.id] = kept
        refined = refine(plan, verdicts, ran.observations, self._key)
        result = mark(plan, refined, report, submission=submission)
        fresh = {keys[name]: ran.observations[name] for name in ran.fresh}
        return Graded(result=result, observations=fresh, verdicts=new_verdicts)

    def _key_of(self, digest: str, scenario: Scenario) -> str:
        return observation_key(
            source_digest=digest,
            scenario=scenario,
            assignment=self._plan.assignment,
            interpreter=self._driver.interpreter.build,
            tier=self._driver.tier,
            execution_digest=EXECUTION_DIGEST,
        )

    def _judge(self, scenario: Scenario, observations: tuple[Observation, ...]) -> Verdict:
        answers = self._answers.get(scenario.id)
        verdicts: list[Verdict] = []
        for index, observation in enumerate(observations):
            if observation.ending is Ending.HARNESS_ERROR:
                return Verdict(kind=VerdictKind.HARNESS_ERROR)
            stimulus = scenario.stimuli[index]
            answer = answers[index] if answers and index < len(answers) else None
            held_to = expectation(scenario, stimulus, answer, self._plan.assignment)
            verdicts.append(judge(observation, held_to, stimulus))
        return combine(tuple(verdicts)) if scenario.is_sample else verdicts[0]
