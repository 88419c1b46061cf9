"""Collects the failing scenarios of a submission with the data that causes are derived from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.judging.compare.ending import at_import
from harness.model.observation import Ending, Frame, Observation, Raised
from harness.model.plan import Plan, Scenario
from harness.model.stimulus import Stimulus
from harness.model.verdict import Channel, Explanation, Verdict, VerdictKind, stated

_NOT_OURS_TO_FIX = frozenset({VerdictKind.PASSED, VerdictKind.HARNESS_ERROR})
_NOTHING_OBSERVED = Observation(ending=Ending.HARNESS_ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedScenario:
    """A scored scenario that failed."""

    index: int  # position in the plan
    scenario: Scenario
    verdict: Verdict
    observation: Observation  # for generated cases, that of the case shown in the verdict

    @property
    def stimulus(self) -> Stimulus:
        return self.scenario.stimuli[self.verdict.draw or 0]

    @property
    def rule(self) -> str:
        if self.verdict.explanation is None:
            return ""
        return self.verdict.explanation.rule

    @property
    def explanation(self) -> Explanation:
        """Return the verdict's explanation without the lecturer's hint."""
        explanation = self.verdict.explanation or stated("", "")
        return replace(explanation, hint="")

    @property
    def loading(self) -> bool:
        """Return whether the submission failed while loading, before the scenario called
        anything.
        """
        return at_import(self.observation, self.stimulus)

    @property
    def missing(self) -> str:
        """Return the name of the missing function if that is why the scenario failed, otherwise
        "".
        """
        if self.observation.ending is Ending.MISSING:
            return self.observation.detail
        raised = self._raised
        if raised is None or raised.type_name != "NameError":
            return ""
        _, _, quoted = raised.message.partition("'")
        name, _, _ = quoted.partition("'")
        return name

    @property
    def raised(self) -> Raised | None:
        """Return the exception that ended the scenario; None if its earlier output is already
        wrong.
        """
        for difference in self.verdict.differences[:1]:
            if difference.channel is Channel.PRINTS:
                return None
        return self._raised

    @property
    def frame(self) -> Frame | None:
        """Return the innermost line of the submission in the exception's traceback."""
        if self.raised is None or not self.raised.frames:
            return None
        return self.raised.frames[-1]

    @property
    def line(self) -> int | None:
        if self.frame is None:
            return None
        return self.frame.line

    @property
    def _raised(self) -> Raised | None:
        if self.observation.raised is not None:
            return self.observation.raised
        for step in self.observation.steps:
            if step.raised is not None:
                return step.raised
        return None

    @property
    def steps(self) -> int:
        """Return the number of steps in a session; 1 for other scenarios."""
        return len(self.stimulus.action.steps) or 1

    @property
    def size(self) -> tuple[int, int]:
        """Return a sort key that puts short examples first: the characters of the input, then the
        number of the generated case.
        """
        stimulus = self.stimulus
        length = 0
        for text in stimulus.source_texts():
            length += len(text) + 1
        for typed in stimulus.inputs:
            length += len(typed.text) + 1
        for binding in (*stimulus.bindings, *stimulus.constants):
            length += len(binding.literal)
        return length, self.verdict.draw or 0


def failing(
    plan: Plan,
    verdicts: Mapping[str, Verdict],
    observations: Mapping[str, Sequence[Observation]],
) -> tuple[FailedScenario, ...]:
    """Return the scored scenarios that failed, in the order of the plan."""
    failures: list[FailedScenario] = []
    for index, scenario, verdict in _failed(plan, verdicts):
        draws, draw = observations.get(scenario.id, ()), verdict.draw or 0
        observation = _NOTHING_OBSERVED
        if draw < len(draws):
            observation = draws[draw]
        failure = FailedScenario(
            index=index, scenario=scenario, verdict=verdict, observation=observation
        )
        failures.append(failure)
    return tuple(failures)


def failing_again(
    plan: Plan, verdicts: Mapping[str, Verdict], observations: Sequence[Observation]
) -> tuple[FailedScenario, ...]:
    """Return the same list as `failing` did for these verdicts, given one observation for each
    failure, in the same order. Raise ValueError if the number of observations is wrong.
    """
    failures: list[FailedScenario] = []
    for failed, observation in zip(_failed(plan, verdicts), observations, strict=True):
        index, scenario, verdict = failed
        failure = FailedScenario(
            index=index, scenario=scenario, verdict=verdict, observation=observation
        )
        failures.append(failure)
    return tuple(failures)


def _failed(plan: Plan, verdicts: Mapping[str, Verdict]) -> Iterator[tuple[int, Scenario, Verdict]]:
    for index, scenario in enumerate(plan.scenarios):
        verdict = verdicts.get(scenario.id)
        if verdict is None or verdict.kind in _NOT_OURS_TO_FIX or scenario.informational:
            continue
        if not verdict.undecided:
            yield index, scenario, verdict
