"""Many scenarios in few lines: those of one sweep that came out alike are one; and how
the clauses of the sheet went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harness.model.plan import Clause, Scenario, Visibility
from harness.model.student_view import HiddenCheck, ShownCheck
from harness.model.verdict import VerdictKind
from harness.reporting.view.paste import settings
from harness.reporting.view.words import section_order


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioLine:
    """Scenarios of one group (see `Scenario.group`) with one outcome, in the plan's order.
    `constants` are the swept values of all, empty where nothing is swept."""

    group: str
    checks: tuple[ShownCheck, ...]
    visibility: Visibility
    constants: str

    @property
    def points(self) -> Fraction:
        """What they earned together."""
        return sum((check.points for check in self.checks), Fraction(0))

    @property
    def out_of(self) -> Fraction:
        """What they were worth together."""
        return sum((check.out_of for check in self.checks), Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedScenarios:
    """Scenarios of which the same is said: whether they passed, the sentence on them (may be
    empty), and who may see them."""

    passed: bool
    message: str
    visibility: Visibility
    lines: tuple[ScenarioLine, ...]


def outcomes(
    checks: Iterable[ShownCheck], scenarios: Mapping[str, Scenario]
) -> tuple[ListedScenarios, ...]:
    """The scenarios in short, what is alike of them said once, in the order of the first of each
    sentence and visibility."""
    alike: dict[tuple[bool, str, Visibility], list[ScenarioLine]] = {}
    for line in _lines(checks, scenarios):
        verdict = line.checks[0].verdict
        alike.setdefault((verdict.passed, verdict.message, line.visibility), []).append(line)
    return tuple(
        ListedScenarios(passed=passed, message=message, visibility=visibility, lines=tuple(lines))
        for (passed, message, visibility), lines in alike.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenOfFunction:
    """A function's hidden checks, those of one name and verdict counted together."""

    function: str
    failing: tuple[tuple[HiddenCheck, int], ...]
    passing: tuple[tuple[str, int], ...]

    @property
    def passed(self) -> int:
        """How many pass."""
        return sum(count for _, count in self.passing)

    @property
    def total(self) -> int:
        """How many there are."""
        return self.passed + sum(count for _, count in self.failing)


def hidden_by_function(hidden: Sequence[HiddenCheck]) -> tuple[HiddenOfFunction, ...]:
    """The hidden checks by function, in the order of the first of each."""
    counts: dict[str, Counter[HiddenCheck]] = {}
    for check in hidden:
        counts.setdefault(check.function, Counter())[check] += 1
    passed = VerdictKind.PASSED
    return tuple(
        HiddenOfFunction(
            function=function,
            failing=tuple((each, n) for each, n in found.items() if each.kind is not passed),
            passing=tuple((each.name, n) for each, n in found.items() if each.kind is passed),
        )
        for function, found in counts.items()
    )


def _lines(
    checks: Iterable[ShownCheck], scenarios: Mapping[str, Scenario]
) -> tuple[ScenarioLine, ...]:
    """A line for each group, outcome and reason, in the order of the first of each. Where a reason
    is of a rule, its sentence may differ by the swept value, and only the first one is shown."""
    alike: dict[tuple[str, str, str], list[ShownCheck]] = {}
    for check in checks:
        verdict = check.verdict
        reason = verdict.explanation.rule if verdict.explanation else verdict.message
        alike.setdefault((scenarios[check.id].group, verdict.kind, reason), []).append(check)
    return tuple(
        ScenarioLine(
            group=group,
            checks=tuple(members),
            visibility=scenarios[members[0].id].visibility,
            constants=_constants(members),
        )
        for (group, _, _), members in alike.items()
    )


def _constants(members: list[ShownCheck]) -> str:
    """`BOARD_SIZE = 4, 7, 10`; of several constants each combination."""
    bound = [check.stimulus.constants for check in members]
    names = {tuple(binding.name for binding in one) for one in bound}
    if len(names) == 1 and len(bound[0]) == 1:
        values = dict.fromkeys(one[0].literal for one in bound)
        return f"{bound[0][0].name} = {', '.join(values)}"
    return "; ".join(dict.fromkeys(text for one in bound if (text := settings(one))))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseTally:
    """How the scenarios of one clause went."""

    clause: Clause
    passed: int
    total: int


def clause_tallies(checks: Sequence[ShownCheck]) -> tuple[ClauseTally, ...]:
    """Clause by clause, in the order of the sheet's sections; ungraded checks left out."""
    members: dict[str, list[ShownCheck]] = {}
    clauses: dict[str, Clause] = {}
    for check in checks:
        if check.informational:
            continue
        for clause in check.clauses:
            clauses.setdefault(clause.id, clause)
            members.setdefault(clause.id, []).append(check)
    return tuple(
        ClauseTally(
            clause=clause,
            passed=sum(check.verdict.passed for check in members[clause.id]),
            total=len(members[clause.id]),
        )
        for clause in sorted(clauses.values(), key=_place_in_sheet)
    )


def _place_in_sheet(clause: Clause) -> tuple[tuple[int, ...], ...]:
    return section_order(clause.section), section_order(clause.id)
