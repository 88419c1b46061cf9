"""Collects the findings of one file."""

from __future__ import annotations

import ast

from harness.model.policy import Consequence, Finding, Policy, PolicyRule, Severity
from harness.policy.reading import Source

# Limits the size of a report on a file that is full of forbidden things.
MAX_PER_RULE = 50

_ORDER = list(PolicyRule)


def clause_and_consequence(policy: Policy, rule: PolicyRule) -> tuple[str, Consequence]:
    """What a finding of this rule cites, and what it means."""
    if rule in (PolicyRule.IMPORT, PolicyRule.IMPORT_EVASION):
        return policy.imports_clause, policy.on_imports
    if rule in (PolicyRule.SYNTAX, PolicyRule.BUILTIN, PolicyRule.METHOD):
        return policy.techniques_clause, policy.on_techniques
    return policy.structure_clause, policy.on_structure


def unchecked(file: str, reason: str) -> Finding:
    """A person is to look at a file that may run and could not be checked."""
    return Finding(
        rule=PolicyRule.UNCHECKED,
        clause="",
        file=file,
        line=1,
        column=1,
        source="",
        message=f"this file could not be checked ({reason}); read it before its mark counts",
        consequence=Consequence(severity=Severity.REVIEW),
    )


class FindingCollector:
    """Collects findings of one file; `findings()` gives them in the order of the file."""

    def __init__(self, source: Source, policy: Policy) -> None:
        self._source = source
        self._policy = policy
        self._found: dict[PolicyRule, set[tuple[int, int, str, str]]] = {}

    def add(self, rule: PolicyRule, node: ast.AST | None, message: str, word: str = "") -> None:
        """Write down that `node` (None: the file as a whole, shown at line 1) broke a rule."""
        place = (getattr(node, "lineno", 1), getattr(node, "col_offset", 0), message, word)
        self._found.setdefault(rule, set()).add(place)

    def findings(self) -> tuple[Finding, ...]:
        """At most `MAX_PER_RULE` of each rule, the first in the file."""
        first = [
            self._finding(rule, *place)
            for rule, places in self._found.items()
            for place in sorted(places)[:MAX_PER_RULE]
        ]
        first.sort(key=lambda f: (f.line, f.column, _ORDER.index(f.rule), f.message))
        return tuple(first)

    def notes(self) -> tuple[str, ...]:
        """Says where findings were left out."""
        return tuple(
            f"{self._source.name}: {len(self._found[rule]) - MAX_PER_RULE} more findings of the "
            f"kind {rule.value} are not listed"
            for rule in _ORDER
            if len(self._found.get(rule, ())) > MAX_PER_RULE
        )

    def _finding(
        self, rule: PolicyRule, line: int, offset: int, message: str, word: str
    ) -> Finding:
        clause, consequence = clause_and_consequence(self._policy, rule)
        return Finding(
            rule=rule,
            clause=clause,
            file=self._source.name,
            line=line,
            column=self._source.column(line, offset),
            source=self._source.line(line),
            message=message,
            consequence=consequence,
            word=word,
        )
