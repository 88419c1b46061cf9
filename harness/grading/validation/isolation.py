"""The two ways of running scenarios, held against each other: together and each alone."""

from __future__ import annotations

from dataclasses import replace

from harness.grading.grader import Graded
from harness.grading.validation.report import Problem
from harness.model.observation import Isolation
from harness.model.result import ScenarioResult, SubmissionResult


def isolation_problems(together: Graded, alone: Graded) -> tuple[Problem, ...]:
    """Every difference between a submission's results of both ways, but for how it ran: verdicts,
    messages, marks, findings, and every channel of what was observed."""
    name = alone.result.id
    found = [together.warning] if together.warning else []
    different: set[str] = set()
    for one, other in zip(together.result.scenarios, alone.result.scenarios, strict=True):
        if one != other:
            different.add(one.scenario_id)
            found.append(f"{one.scenario_id}: {_said(one)} together, {_said(other)} alone")
    found += [
        f"{scenario_id}: another observation together than alone"
        for scenario_id, digest in alone.seen.items()
        if scenario_id not in different and together.seen.get(scenario_id) != digest
    ]
    if not found and _apart(together.result) != _apart(alone.result):
        found.append("its mark or its findings differ between the two ways")
    return tuple(Problem(check="isolation", place=name, message=message) for message in found)


def _apart(result: SubmissionResult) -> SubmissionResult:
    return replace(result, isolation=Isolation.ALONE, isolation_reason="")


def _said(outcome: ScenarioResult) -> str:
    verdict = outcome.verdict
    return f"{verdict.kind.value} ({verdict.message})" if verdict.message else verdict.kind.value
