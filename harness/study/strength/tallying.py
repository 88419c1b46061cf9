"""The outcomes of all changes, counted: by function, by clause, and by scenario. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from harness.model.plan import Plan, Scenario
from harness.model.study.reports import (
    ChangeOutcome,
    ClauseStrength,
    Equivalent,
    FunctionStrength,
    PairOutcome,
    StrengthReport,
)


def report(
    plan: Plan,
    outcomes: Sequence[ChangeOutcome],
    pairs: Sequence[PairOutcome],
    equivalents: Sequence[Equivalent],
) -> StrengthReport:
    """The whole report; the outcomes have their reasons already."""
    scored = [scenario for scenario in plan.scenarios if not scenario.informational]
    noticed = [one.noticed_by for one in outcomes] + [one.noticed_by for one in pairs]
    needed = _needed(scored, noticed)
    return StrengthReport(
        assignment=plan.assignment.id,
        spec_digest=plan.spec_digest,
        reference_digest=plan.reference_digest,
        functions=tuple(
            _function(name, [each for each in outcomes if each.function == name])
            for name in dict.fromkeys(each.function for each in outcomes)
        ),
        clauses=_clauses(scored, outcomes),
        outcomes=tuple(outcomes),
        pairs=tuple(pairs),
        needed=tuple(each.id for each in scored if each.id in needed),
        spare=tuple(each.id for each in scored if each.id not in needed),
        mistakes=_mistakes(outcomes, equivalents),
    )


def place(entry: Equivalent | ChangeOutcome) -> tuple[str, str, str, str]:
    """What an entry of equivalent.yaml finds a change by."""
    return entry.file, entry.function, entry.before, entry.after


def _function(function: str, outcomes: Sequence[ChangeOutcome]) -> FunctionStrength:
    return FunctionStrength(
        function=function,
        changes=len(outcomes),
        noticed=sum(bool(each.noticed_by) for each in outcomes),
        equivalent=sum(bool(each.why) and not each.noticed_by for each in outcomes),
    )


def _clauses(
    scored: Sequence[Scenario], outcomes: Sequence[ChangeOutcome]
) -> tuple[ClauseStrength, ...]:
    clauses = {scenario.id: scenario.clauses for scenario in scored}
    counts = Counter(clause for found in clauses.values() for clause in found)
    noticed = Counter(
        clause
        for each in outcomes
        for clause in {clause for name in each.noticed_by for clause in clauses[name]}
    )
    return tuple(
        ClauseStrength(clause=clause, scenarios=count, noticed=noticed[clause])
        for clause, count in counts.items()
    )


def _needed(scored: Sequence[Scenario], noticed: Iterable[Sequence[str]]) -> set[str]:
    """Scenarios that notice all that is noticed: the last of a plan are the first to go."""
    staying = [set(each) for each in noticed]
    needed = set()
    for scenario in reversed(scored):
        if any(each == {scenario.id} for each in staying):
            needed.add(scenario.id)
        else:
            for each in staying:
                each.discard(scenario.id)
    return needed


def _mistakes(
    outcomes: Sequence[ChangeOutcome], equivalents: Sequence[Equivalent]
) -> tuple[str, ...]:
    found = {place(each) for each in outcomes}
    mistakes = [
        f"{_named(each)}: {each.noticed_by[0]} notices it"
        for each in outcomes
        if each.why and each.noticed_by
    ]
    mistakes += [
        f"{_named(each)}: there is no such change"
        for each in equivalents
        if place(each) not in found
    ]
    return tuple(sorted(mistakes))


def _named(entry: Equivalent | ChangeOutcome) -> str:
    return f"{entry.file}, {entry.function}: `{entry.before}` as `{entry.after}`"
