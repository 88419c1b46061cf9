"""Failures that one change would fix, put together, and the clauses that they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.model.causes import FailureFacts, group_by_cause
from harness.model.plan import Clause
from harness.model.student_view import ShownCheck
from harness.model.verdict import VerdictKind
from harness.reporting.view.words import section_order

# Passed, or not run at all: a page says once, at its top, that the file is unreadable.
_NO_CAUSE = frozenset({VerdictKind.PASSED, VerdictKind.UNREADABLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Failures that one change would fix. `first` is shown in full, the others on request."""

    message: str
    functions: tuple[str, ...]
    first: ShownCheck
    others: tuple[ShownCheck, ...]

    @property
    def count(self) -> int:
        """How many checks fail for this cause."""
        return 1 + len(self.others)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseTally:
    """How the scenarios of one clause went."""

    clause: Clause
    passed: int
    total: int


def causes(checks: Iterable[ShownCheck], functions: Sequence[str]) -> tuple[Cause, ...]:
    """The causes of failures, in the order in which to fix them: those of several functions, then
    function by function in the order of `functions` (the assignment's), then in the plan's order.
    """
    failing = [check for check in checks if check.verdict.kind not in _NO_CAUSE]
    found = [_cause(members) for members in group_by_cause(failing, _facts)]
    place = {name: index for index, name in enumerate(functions)}

    def urgency(cause: Cause) -> tuple[bool, int]:
        return len(cause.functions) < 2, place.get(cause.functions[0], len(place))

    return tuple(sorted(found, key=urgency))


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


def _facts(check: ShownCheck) -> FailureFacts:
    verdict = check.verdict
    return FailureFacts(
        function=check.function,
        clauses=tuple(clause.id for clause in check.clauses),
        kind=verdict.kind,
        rule=verdict.explanation.rule if verdict.explanation else "",
        message=verdict.message,
    )


def _cause(members: list[ShownCheck]) -> Cause:
    return Cause(
        message=members[0].verdict.message,
        functions=tuple(dict.fromkeys(check.function for check in members)),
        first=members[0],
        others=tuple(members[1:]),
    )
