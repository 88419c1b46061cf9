"""What a page or a terminal says of a cause."""

from __future__ import annotations

from collections.abc import Iterable

from harness.model.policy import Finding, PolicyRule
from harness.model.student_view import ShownCause, ShownCheck
from harness.model.verdict import VerdictKind


def is_missing(cause: ShownCause) -> bool:
    """Whether it is a function that is not there: then an example says nothing more."""
    return bool(cause.checks) and all(
        check.verdict.kind is VerdictKind.MISSING for check in cause.checks[:1]
    )


MOST_SYMPTOMS = 2


def other_symptoms(cause: ShownCause) -> list[ShownCheck]:
    """Checks of the function that fail for the same cause and say something else than the example,
    the first few: one for each rule that explains."""
    rules = {_rule(check) for check in cause.checks[:1]}
    found: list[ShownCheck] = []
    for check in cause.checks[1:]:
        if check.function != cause.function:
            continue
        if _rule(check) not in rules and check.verdict.message:
            rules.add(_rule(check))
            found.append(check)
    return found[:MOST_SYMPTOMS]


def _rule(check: ShownCheck) -> str:
    return check.verdict.explanation.rule if check.verdict.explanation else ""


def runs_at_load(cause: ShownCause, findings: Iterable[Finding]) -> list[Finding]:
    """The statements outside functions that may be why a file fails as it is loaded."""
    if cause.function or not cause.checks:
        return []
    return [finding for finding in findings if finding.rule is PolicyRule.MODULE_LEVEL]
