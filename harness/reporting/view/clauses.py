"""How the clauses of the sheet went."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.model.plan import Clause
from harness.model.student_view import ShownCheck
from harness.reporting.view.words import section_order


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
