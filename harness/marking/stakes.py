"""What fixing a cause would earn, computed by counting its scenarios as passed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from harness.marking.mark import mark_of
from harness.model.plan import Plan
from harness.model.result import SubmissionResult, SubmissionStatus
from harness.model.verdict import Cause


def with_stakes(plan: Plan, result: SubmissionResult, causes: Iterable[Cause]) -> SubmissionResult:
    """The result with these causes, each with its marks at stake, most first; those with equal
    marks in their own order. Nothing is at stake where there is no mark."""
    place = {scenario.id: index for index, scenario in enumerate(plan.scenarios)}
    found = [
        replace(cause, marks_at_stake=_stake(plan, result, cause)) if cause.scenarios else cause
        for cause in causes
    ]

    def order(cause: Cause) -> tuple[Fraction, int]:
        return -cause.marks_at_stake, min((place[name] for name in cause.scenarios), default=-1)

    return replace(result, causes=tuple(sorted(found, key=order)))


def _stake(plan: Plan, result: SubmissionResult, cause: Cause) -> Fraction:
    if result.status is not SubmissionStatus.GRADED or result.mark is None:
        return Fraction(0)
    fixed = frozenset(cause.scenarios)
    scenarios = tuple(
        replace(entry, points=entry.out_of) if entry.scenario_id in fixed else entry
        for entry in result.scenarios
    )
    return mark_of(plan, scenarios, result.findings) - result.mark
