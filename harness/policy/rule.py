"""Defines policy rules: a check function in a module of `rules`, the kind of its findings, and its
key in policy.yaml.

`findings_of` applies rules to a file.
"""

import ast
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter

from harness.model.policy import Consequence, Finding, Policy, PolicyGroup, Requirement, Severity
from harness.policy.index import Index
from harness.policy.reading import PythonSource

# Limits the size of a report on a file that is full of forbidden things.
MAX_PER_RULE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingKind:
    """A kind of findings: `name` in results.json and `expect.yaml`, `title` on pages.

    Clause and consequence are those of the group; marks are deducted once for each group.
    """

    name: str
    title: str
    group: PolicyGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSetting:
    """A key in policy.yaml with `{allow: […]}` or, if `may_forbid`, `{forbid: […]}`."""

    key: str
    description: str  # for editors
    noun: str  # the word for a name in messages
    names: Callable[[], tuple[str, ...]] | None = None  # that may be allowed; None: any
    may_forbid: bool = True
    forbidden: Callable[[], tuple[str, ...]] | None = None  # the same


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """A parsed file with the rules for it."""

    source: PythonSource
    policy: Policy
    defined: Mapping[str, frozenset[str]]
    """The names that the other files and the provided modules define, by module."""
    extra: frozenset[str] = frozenset()
    """The student's modules that were not asked for."""
    is_extra: bool = False
    """Whether this is one of them."""

    @property
    def index(self) -> Index:
        return self.source.index

    @property
    def provided(self) -> frozenset[str]:
        return frozenset(self.policy.provided_names)


@dataclass(frozen=True, slots=True)
class Breach:
    """A place where a rule is broken.

    If `node` is None, the file as a whole breaks it (shown at line 1).
    """

    node: ast.AST | None
    message: str
    word: str = ""  # what policy.yaml calls it
    # The requirement that is not met, which may have its own clause and consequence.
    requirement: Requirement | None = None

    @property
    def place(self) -> tuple[int, int, str, str]:
        """Return the sort key for display: line, column and text."""
        line = getattr(self.node, "lineno", 1)
        offset = getattr(self.node, "col_offset", 0)
        return line, offset, self.message, self.word


Check = Callable[[CheckedFile], Iterable[Breach]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRule:
    """A check.

    Rules run in ascending order of `order`, which also sorts findings at the same place.
    """

    check: Check
    order: int
    kind: FindingKind
    setting: ListSetting | None


def policy_rule(
    order: int, kind: FindingKind, setting: ListSetting | None = None
) -> Callable[[Check], PolicyRule]:
    """Return a decorator that makes a rule from a function in a module of `rules`.

    The rule is found automatically.
    """

    def made_of(check: Check) -> PolicyRule:
        return PolicyRule(check=check, order=order, kind=kind, setting=setting)

    return made_of


UNCHECKED = FindingKind(name="unchecked", title="Could not be checked", group=PolicyGroup.UNCHECKED)


def unchecked(file: str, reason: str) -> Finding:
    """Return a finding that asks a person to review a file that could not be checked."""
    return Finding(
        rule=UNCHECKED.name,
        clause="",
        file=file,
        line=1,
        column=1,
        source="",
        message=f"this file could not be checked ({reason}); a person must read it before the mark "
        "counts",
        consequence=Consequence(severity=Severity.REVIEW),
    )


def findings_of(
    file: CheckedFile, rules: Iterable[PolicyRule]
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """Return the findings of these rules in the order of the file, and notes.

    Each rule gives at most `MAX_PER_RULE` findings; a note says if there are more.
    """
    findings: list[Finding] = []
    notes: list[str] = []
    for rule in rules:
        # Two nodes may have the same place; a breach is shown once for each requirement.
        breaches: dict[Hashable, Breach] = {}
        for breach in rule.check(file):
            breaches[breach.place, breach.requirement] = breach
        in_order = sorted(breaches.values(), key=attrgetter("place"))
        kind = rule.kind
        for breach in in_order[:MAX_PER_RULE]:
            line, offset, message, word = breach.place
            clause = file.policy.clause_of(kind.group)
            consequence = file.policy.consequence_of(kind.group)
            requirement = breach.requirement
            if requirement is not None:
                clause = requirement.clause or clause
                consequence = requirement.consequence or consequence
            source = file.source
            finding = Finding(
                rule=kind.name,
                clause=clause,
                file=source.name,
                line=line,
                column=source.column(line, offset),
                source=source.line(line),
                message=message,
                consequence=consequence,
                word=word,
            )
            findings.append(finding)
        more = len(breaches) - MAX_PER_RULE
        if more > 0:
            what = f"{more} more findings of the kind {kind.name} are not listed"
            notes.append(f"{file.source.name}: {what}")
    findings.sort(key=attrgetter("line", "column"))
    return tuple(findings), tuple(notes)


def short(text: str, most: int = 60) -> str:
    """Return a name or line for a sentence: on one line, with at most `most` characters."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    return flat[: most - 1] + "…"
