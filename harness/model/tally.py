"""What each function of the assignment earned."""

from __future__ import annotations

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
        points=sum((entry.points for entry in found), Fraction(0)),
        out_of=sum((s.points for s in scenarios if not s.extra_credit), Fraction(0)),
    )
