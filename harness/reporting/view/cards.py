"""Scenarios as cards, and failures that have one cause put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.model.plan import Clause
from harness.model.student_view import ShownCheck, Surroundings
from harness.model.verdict import Channel, VerdictKind
from harness.reporting.view import paste
from harness.reporting.view.comparison import Comparison, comparison
from harness.reporting.view.screen import ScreenView, screen
from harness.reporting.view.words import section_order

# Passed, or not run at all: that the file is unreadable is said once, above.
_NO_CAUSE = frozenset({VerdictKind.PASSED, VerdictKind.UNREADABLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One scenario, ready to be read. `settings` are its overrides, `draws` says which of a
    sample's draws is shown; both may be empty."""

    check: ShownCheck
    settings: str
    question: str
    draws: str
    recipe: paste.Recipe
    comparisons: tuple[Comparison, ...]
    screen: ScreenView | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Failures that one mend may well end. `first` is shown in full, the others on request."""

    message: str
    functions: tuple[str, ...]
    first: Card
    others: tuple[Card, ...]

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


def card(check: ShownCheck, surroundings: Surroundings) -> Card:
    """One scenario's card."""
    verdict = check.verdict
    shown = screen(verdict.conversation) if verdict.conversation else None
    differences = verdict.differences
    if shown is not None and _says_the_turn(shown):
        differences = tuple(d for d in differences if d.channel is not Channel.PRINTS)
    return Card(
        check=check,
        settings=paste.settings(check.stimulus.constants),
        question=paste.called(check.stimulus),
        draws=_draws(check),
        recipe=paste.recipe(check.stimulus, surroundings),
        comparisons=tuple(comparison(d) for d in differences),
        screen=shown,
    )


def causes(
    checks: Iterable[ShownCheck], surroundings: Surroundings, functions: Sequence[str]
) -> tuple[Cause, ...]:
    """Failures, the first to mend first: what stops several functions, then function by function
    in the order of `functions` (the assignment's), in each in the plan's order.

    One cause is one message in several functions (what happens at import, for one), or else one
    rule in one function for the same clauses: there the messages differ in their examples alone.
    """
    failing = [check for check in checks if check.verdict.kind not in _NO_CAUSE]
    affected: dict[tuple[str, ...], set[str]] = {}
    for check in failing:
        affected.setdefault(_same_message(check), set()).add(check.function)
    groups: dict[tuple[str, ...], list[ShownCheck]] = {}
    for check in failing:
        everywhere = len(affected[_same_message(check)]) > 1
        key = _same_message(check) if everywhere else _same_rule(check)
        groups.setdefault(key, []).append(check)
    found = [_cause(members, surroundings) for members in groups.values()]
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


def _says_the_turn(shown: ScreenView) -> bool:
    if shown.comparison is None:
        return shown.parts
    return any(not row.same for row in shown.comparison.rows)


def _same_message(check: ShownCheck) -> tuple[str, ...]:
    return ("message", check.verdict.kind, _rule(check), check.verdict.message)


def _same_rule(check: ShownCheck) -> tuple[str, ...]:
    rule = _rule(check)
    clauses = (clause.id for clause in check.clauses)
    return ("rule", check.verdict.kind, rule, check.function, *clauses)


def _rule(check: ShownCheck) -> str:
    return check.verdict.explanation.rule if check.verdict.explanation else ""


def _cause(members: list[ShownCheck], surroundings: Surroundings) -> Cause:
    cards = [card(check, surroundings) for check in members]
    return Cause(
        message=members[0].verdict.message,
        functions=tuple(dict.fromkeys(check.function for check in members)),
        first=cards[0],
        others=tuple(cards[1:]),
    )


def _draws(check: ShownCheck) -> str:
    verdict = check.verdict
    if verdict.draw is None or verdict.draws_run < 2 or verdict.kind is VerdictKind.PASSED:
        return ""
    return f"{verdict.draws_failed:,} of {verdict.draws_run:,} cases fail; this is the smallest"
