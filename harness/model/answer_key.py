"""The answer key: the reference's own observations.

It never enters a process that runs a submission.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from harness.model.observation import Observation
from harness.model.values import Value

KEY_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonAnswer:
    """What a `{python: expression}` was worth beside the reference, for one stimulus."""

    expression: str
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The reference's outcome for one stimulus of a scenario."""

    observation: Observation
    python: tuple[PythonAnswer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioAnswers:
    """One answer a stimulus, in the plan's order."""

    scenario_id: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerKey:
    """Computed once per interpreter build, tier and provided bytes (`made_with` names them)."""

    version: int
    spec_digest: str
    reference_digest: str
    made_with: str
    scenarios: tuple[ScenarioAnswers, ...]

    def answers(self, scenario_id: str) -> tuple[Answer, ...]:
        """The answers for a scenario; KeyError if the key holds none."""
        for entry in self.scenarios:
            if entry.scenario_id == scenario_id:
                return entry.answers
        raise KeyError(scenario_id)

    def subset(self, scenario_ids: Iterable[str]) -> AnswerKey:
        """The same key with only these scenarios."""
        wanted = set(scenario_ids)
        entries = tuple(entry for entry in self.scenarios if entry.scenario_id in wanted)
        return replace(self, scenarios=entries)
