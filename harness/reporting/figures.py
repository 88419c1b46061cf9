"""A class in numbers: distribution, shares per function, what fails most, findings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from harness.model.plan import Plan, Scenario
from harness.model.policy import PolicyRule
from harness.model.result import RunResult, SubmissionResult
from harness.model.student import FunctionTally
from harness.model.tally import by_function
from harness.model.verdict import VerdictKind
from harness.reporting.words import percent

_MOST_BARS = 12
_MOST_SCENARIOS = 25
_MOST_EXAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Marks from `low` up to (for the last bar: and including) `high`, and how many there are."""

    low: Fraction
    high: Fraction
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """The marks of a class, in marks."""

    count: int
    mean: Fraction
    median: Fraction
    lowest: Fraction
    highest: Fraction
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedScenario:
    """A scenario, how many fail it, and the rule that explains most of these failures."""

    scenario: Scenario
    failed: int
    graded: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingTally:
    """One kind of finding: its sentence once, and who has it."""

    rule: PolicyRule
    message: str
    places: int
    submissions: tuple[str, ...]


def distribution(run: RunResult, out_of: Fraction) -> Distribution | None:
    """The marks' distribution; None when there is no mark."""
    marks = sorted(s.mark for s in run.submissions if s.mark is not None)
    if not marks:
        return None
    middle = len(marks) // 2
    median = marks[middle] if len(marks) % 2 else (marks[middle - 1] + marks[middle]) / 2
    return Distribution(
        count=len(marks),
        mean=sum(marks, Fraction(0)) / len(marks),
        median=median,
        lowest=marks[0],
        highest=marks[-1],
        bars=_bars(marks, out_of),
    )


def _bars(marks: list[Fraction], top: Fraction) -> tuple[Bar, ...]:
    if top <= 0:
        return ()
    count = 10
    for step in (Fraction(1, 2), Fraction(1)):
        if (top / step).denominator == 1 and top / step <= _MOST_BARS:
            count = int(top / step)
            break
    width = top / count
    tally = Counter(min(int(mark / width), count - 1) for mark in marks)
    edges = [i * width for i in range(count)] + [max(top, marks[-1])]  # extra credit goes beyond
    return tuple(Bar(low=edges[i], high=edges[i + 1], count=tally[i]) for i in range(count))


def function_names(plan: Plan) -> tuple[str, ...]:
    """The functions with a share of the marks, in the assignment's order."""
    graded = {scenario.function for scenario in plan.scenarios if not scenario.informational}
    named = [signature.name for signature in plan.assignment.functions]
    others = [scenario.function for scenario in plan.scenarios]
    return tuple(name for name in dict.fromkeys([*named, *others]) if name in graded)


def tallies(result: SubmissionResult, plan: Plan) -> tuple[FunctionTally, ...]:
    """Each function's scenarios and points; none where nothing was run."""
    return by_function(plan, result) if was_run(result) else ()


def was_run(result: SubmissionResult) -> bool:
    """Whether any scenario was run: an unreadable file, for one, has only verdicts that say so."""
    return any(o.verdict.kind is not VerdictKind.UNREADABLE for o in result.scenarios)


def share(tally: FunctionTally) -> int:
    """A function's share of its points in whole percent (extra credit may exceed 100)."""
    return percent(tally.points, tally.out_of) if tally.out_of else 100 * bool(tally.points)


def most_failed(run: RunResult, plan: Plan) -> tuple[FailedScenario, ...]:
    """The scenarios that most submissions fail, at most 25, most failed first."""
    failed: Counter[str] = Counter()
    graded: Counter[str] = Counter()
    messages: dict[str, Counter[str]] = {}
    for result in filter(was_run, run.submissions):
        for outcome in result.scenarios:
            if outcome.verdict.kind is VerdictKind.HARNESS_ERROR:
                continue
            graded[outcome.scenario_id] += 1
            if not outcome.verdict.passed:
                failed[outcome.scenario_id] += 1
                tally = messages.setdefault(outcome.scenario_id, Counter())
                tally[outcome.verdict.message] += 1
    scenarios = [s for s in plan.scenarios if failed[s.id] and not s.informational]
    scenarios.sort(key=lambda s: -failed[s.id])
    return tuple(
        FailedScenario(
            scenario=scenario,
            failed=failed[scenario.id],
            graded=graded[scenario.id],
            message=messages[scenario.id].most_common(1)[0][0],
        )
        for scenario in scenarios[:_MOST_SCENARIOS]
    )


def findings(run: RunResult) -> tuple[FindingTally, ...]:
    """Findings with the same rule and sentence together, most widespread first."""
    places: Counter[tuple[PolicyRule, str]] = Counter()
    owners: dict[tuple[PolicyRule, str], dict[str, None]] = {}
    for result in run.submissions:
        for finding in result.findings:
            key = (finding.rule, finding.message)
            places[key] += 1
            owners.setdefault(key, {})[result.id] = None
    found = [
        FindingTally(
            rule=rule, message=message, places=places[rule, message], submissions=tuple(who)
        )
        for (rule, message), who in owners.items()
    ]
    return tuple(sorted(found, key=lambda tally: (-len(tally.submissions), tally.rule)))


def examples(tally: FindingTally) -> tuple[tuple[str, ...], int]:
    """The first few submissions of a finding, and how many more there are."""
    return tally.submissions[:_MOST_EXAMPLES], max(0, len(tally.submissions) - _MOST_EXAMPLES)
