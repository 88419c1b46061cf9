"""Failures of one submission that one change may well end, put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from harness.model.verdict import VerdictKind

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureFacts:
    """What a failure is grouped by. `clauses` are ids, `rule` is empty without an explanation."""

    function: str
    clauses: tuple[str, ...]
    kind: VerdictKind
    rule: str
    message: str


def group_by_cause(failures: Iterable[T], facts: Callable[[T], FailureFacts]) -> list[list[T]]:
    """The failures in groups of one cause each, in the order of their first members.

    One cause is one message in several functions (what happens at import, for one), or else one
    rule in one function for the same clauses: there the messages differ in their examples alone.
    """
    found = [(each, facts(each)) for each in failures]
    affected: dict[tuple[object, ...], set[str]] = {}
    for _, fact in found:
        affected.setdefault(_same_message(fact), set()).add(fact.function)
    groups: dict[tuple[object, ...], list[T]] = {}
    for each, fact in found:
        everywhere = len(affected[_same_message(fact)]) > 1
        key = _same_message(fact) if everywhere else _same_rule(fact)
        groups.setdefault(key, []).append(each)
    return list(groups.values())


def _same_message(fact: FailureFacts) -> tuple[object, ...]:
    return ("message", fact.kind, fact.rule, fact.message)


def _same_rule(fact: FailureFacts) -> tuple[object, ...]:
    return ("rule", fact.kind, fact.rule, fact.function, *fact.clauses)
