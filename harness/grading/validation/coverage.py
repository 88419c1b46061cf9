"""Which clauses the scenarios cover, and how the marks are shared out. Pure."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from harness.grading.validation.report import ClauseCoverage, FunctionShare, Problem
from harness.model.expectation import Expected
from harness.model.plan import Clause, Plan, Scenario

POLICY_SECTION = "policy"


def needs_scenario(clause: Clause) -> bool:
    """Settled clauses about behaviour do; unsettled ones and those checked by policy do not."""
    return not clause.unsettled and clause.section != POLICY_SECTION


def coverage(plan: Plan) -> tuple[tuple[ClauseCoverage, ...], tuple[Problem, ...]]:
    """Each clause with its scored scenarios, and what is uncovered on either side."""
    scored = [scenario for scenario in plan.scenarios if not scenario.informational]
    counts = Counter(clause for scenario in scored for clause in scenario.clauses)
    rows = tuple(
        ClauseCoverage(clause=clause, scenarios=counts[clause.id])
        for clause in plan.assignment.clauses
    )
    problems = [
        Problem(
            check="coverage",
            place="clauses.yaml",
            message=f"clause {row.clause.id} ({row.clause.text}) has no scenario",
        )
        for row in rows
        if not row.scenarios and needs_scenario(row.clause)
    ]
    problems += [
        Problem(
            check="coverage",
            place=str(scenario.place),
            message=f"scenario {scenario.id} names no clause",
        )
        for scenario in scored
        if not scenario.clauses
    ]
    return rows, tuple(problems)


def shares(plan: Plan) -> tuple[FunctionShare, ...]:
    """Each function's scenarios and share of the marks, in the plan's order."""
    scored = [s for s in plan.scenarios if not s.informational]
    total = sum((s.points for s in scored if not s.extra_credit), Fraction(0))
    by_function: dict[str, list[Scenario]] = {}
    for scenario in scored:
        by_function.setdefault(scenario.function, []).append(scenario)
    return tuple(
        FunctionShare(
            function=function,
            scenarios=len({s.group for s in scenarios}),
            visible=len({s.group for s in scenarios if s.visibility.value == "visible"}),
            stimuli=sum(len(s.stimuli) for s in scenarios),
            share=sum((s.points for s in scenarios), Fraction(0)) / total if total else Fraction(0),
        )
        for function, scenarios in by_function.items()
    )


def golden_count(plan: Plan) -> int:
    """How many scenarios state something of their own outcome."""
    return sum(
        bool(scenario.stated_cases) or scenario.stated != Expected(ignore=scenario.stated.ignore)
        for scenario in plan.scenarios
    )
