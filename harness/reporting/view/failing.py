"""The scenarios that most of a class fail, and those that most of its good submissions fail."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from harness.model.plan import Plan, Scenario
from harness.model.result import SubmissionResult
from harness.model.verdict import VerdictKind
from harness.reporting.view.figures import Tally, was_run

MOST_SCENARIOS = 25
_MOST_NAMED = 15  # submissions that fail one
GOOD = Fraction(3, 4)  # of the marks for functionality
_FEWEST_GOOD = 3  # a scenario is not in doubt for fewer


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedScenarios:
    """The scenarios of one group (those of a sweep are one), of which `failed` of `graded`
    submissions fail at least one. `reason` is why, where that holds for most of them; `students`
    are the ids of the first."""

    first: Scenario
    scenarios: int
    failed: int
    graded: int
    reason: str
    students: tuple[str, ...]


class FailingCounter:
    """Counted one submission at a time."""

    def __init__(self, plan: Plan) -> None:
        self._groups: dict[str, list[Scenario]] = {}
        self._group_of: dict[str, str] = {}
        for scenario in plan.scenarios:
            if not scenario.informational:
                self._groups.setdefault(scenario.group, []).append(scenario)
                self._group_of[scenario.id] = scenario.group
        self._graded: Counter[str] = Counter()
        self._failed: dict[str, Tally] = {}
        self._good = 0
        self._failed_by_good: dict[str, Tally] = {}

    def add(self, result: SubmissionResult) -> None:
        """Count one submission."""
        if not was_run(result):
            return
        seen: set[str] = set()
        why: dict[str, str] = {}
        for outcome in result.scenarios:
            group = self._group_of.get(outcome.scenario_id)
            if group is None or outcome.verdict.kind is VerdictKind.HARNESS_ERROR:
                continue
            seen.add(group)
            if not outcome.verdict.passed:
                why.setdefault(group, outcome.verdict.message)
        is_good = result.mark is not None and result.mark >= GOOD * result.out_of
        self._good += is_good
        self._graded.update(seen)
        for group, message in why.items():
            self._failed.setdefault(group, Tally()).add(result.id, message)
            if is_good:
                self._failed_by_good.setdefault(group, Tally()).add(result.id, message)

    def most(self) -> tuple[FailedScenarios, ...]:
        """At most 25 groups, most failed first."""
        return self._found(self._failed, self._graded)[:MOST_SCENARIOS]

    def doubtful(self) -> tuple[FailedScenarios, ...]:
        """The groups that more than half of the otherwise good submissions fail, of which there
        must be a few: the scenario or the reference may be what is wrong."""
        if self._good < _FEWEST_GOOD:
            return ()
        graded = Counter(dict.fromkeys(self._failed_by_good, self._good))
        found = self._found(self._failed_by_good, graded)
        return tuple(each for each in found if 2 * each.failed > each.graded)

    def _found(self, failed: dict[str, Tally], graded: Counter[str]) -> tuple[FailedScenarios, ...]:
        found = []
        for group, scenarios in self._groups.items():
            tally = failed.get(group)
            if tally is None:
                continue
            found.append(
                FailedScenarios(
                    first=scenarios[0],
                    scenarios=len(scenarios),
                    failed=tally.count,
                    graded=graded[group],
                    reason=tally.usual(),
                    students=tuple(tally.students[:_MOST_NAMED]),
                )
            )
        return tuple(sorted(found, key=lambda each: -each.failed))
