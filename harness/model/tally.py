"""What each function of the assignment earned."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from harness.model.plan import Plan, Scenario
from harness.model.result import ScenarioResult, SubmissionResult
from harness.model.student import FunctionTally


def by_function(plan: Plan, result: SubmissionResult) -> tuple[FunctionTally, ...]:
    """Each function's scenarios and points, informational ones left out.

    In the order of the assignment's functions, then of the plan. Extra credit adds to `points`,
    not to `out_of`. A scenario that the result lacks counts as not passed.
    """
    results = {entry.scenario_id: entry for entry in result.scenarios}
    groups: dict[str, list[Scenario]] = {f.name: [] for f in plan.assignment.functions}
    for scenario in plan.scenarios:
        if not scenario.informational:
            groups.setdefault(scenario.function, []).append(scenario)
    return tuple(
        _tally(function, scenarios, results) for function, scenarios in groups.items() if scenarios
    )


def _tally(
    function: str, scenarios: list[Scenario], results: dict[str, ScenarioResult]
) -> FunctionTally:
    found = [results[scenario.id] for scenario in scenarios if scenario.id in results]
    return FunctionTally(
        function=function,
        passed=sum(entry.verdict.passed for entry in found),
        total=len(scenarios),
        points=_sum(entry.points for entry in found),
        out_of=_sum(s.points for s in scenarios if not s.extra_credit),
    )


def _sum(points: Iterable[Fraction]) -> Fraction:
    # By denominators: adding fractions one by one takes most of a tally's time.
    sums: dict[int, int] = {}
    for each in points:
        top, bottom = each.as_integer_ratio()
        sums[bottom] = sums.get(bottom, 0) + top
    return sum((Fraction(top, bottom) for bottom, top in sums.items()), Fraction(0))
