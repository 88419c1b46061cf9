"""A class in numbers: distribution, shares per function, what fails most, findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from harness.model.plan import Plan, Scenario
from harness.model.policy import PolicyRule
from harness.model.result import SubmissionResult
from harness.model.student_view import FunctionTally, by_function
from harness.model.verdict import VerdictKind
from harness.reporting.view.words import percent

_MOST_BARS = 12
_MOST_SCENARIOS = 25
_MOST_EXAMPLES = 5
_MOST_MESSAGES = 200  # of one scenario, before the rare ones are forgotten


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
    """One kind of finding: its sentence once, how many submissions have it, and the first few."""

    rule: PolicyRule
    message: str
    count: int
    examples: tuple[str, ...]


def distribution(given: Iterable[Fraction], out_of: Fraction) -> Distribution | None:
    """The marks' distribution; None when there is no mark."""
    marks = sorted(given)
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


class Failing:
    """The scenarios that most submissions fail, counted one submission at a time."""

    def __init__(self, plan: Plan) -> None:
        self._scenarios = [scenario for scenario in plan.scenarios if not scenario.informational]
        self._failed: Counter[str] = Counter()
        self._graded: Counter[str] = Counter()
        self._messages: dict[str, Counter[str]] = {}

    def add(self, result: SubmissionResult) -> None:
        """Count one submission."""
        if not was_run(result):
            return
        for outcome in result.scenarios:
            if outcome.verdict.kind is VerdictKind.HARNESS_ERROR:
                continue
            self._graded[outcome.scenario_id] += 1
            if not outcome.verdict.passed:
                self._failed[outcome.scenario_id] += 1
                tally = self._messages.setdefault(outcome.scenario_id, Counter())
                tally[outcome.verdict.message] += 1
                if len(tally) > _MOST_MESSAGES:
                    _forget_rare(tally)

    def most(self) -> tuple[FailedScenario, ...]:
        """At most 25, most failed first."""
        scenarios = [scenario for scenario in self._scenarios if self._failed[scenario.id]]
        scenarios.sort(key=lambda scenario: -self._failed[scenario.id])
        return tuple(
            FailedScenario(
                scenario=scenario,
                failed=self._failed[scenario.id],
                graded=self._graded[scenario.id],
                message=self._messages[scenario.id].most_common(1)[0][0],
            )
            for scenario in scenarios[:_MOST_SCENARIOS]
        )


def _forget_rare(tally: Counter[str]) -> None:
    """Keep the more frequent half, so that not all messages of thousands of programs are held."""
    kept = tally.most_common(_MOST_MESSAGES // 2)
    tally.clear()
    tally.update(dict(kept))


class Findings:
    """Findings with the same rule and sentence together, counted one submission at a time."""

    def __init__(self) -> None:
        self._count: Counter[tuple[PolicyRule, str]] = Counter()
        self._examples: dict[tuple[PolicyRule, str], list[str]] = {}

    def add(self, result: SubmissionResult) -> None:
        """Count one submission."""
        for key in {(finding.rule, finding.message): None for finding in result.findings}:
            self._count[key] += 1
            examples = self._examples.setdefault(key, [])
            if len(examples) < _MOST_EXAMPLES:
                examples.append(result.id)

    def found(self) -> tuple[FindingTally, ...]:
        """All of them, most widespread first."""
        tallies = [
            FindingTally(rule=rule, message=message, count=count, examples=tuple(examples))
            for ((rule, message), examples), count in zip(
                self._examples.items(), self._count.values(), strict=True
            )
        ]
        return tuple(sorted(tallies, key=lambda tally: (-tally.count, tally.rule)))
