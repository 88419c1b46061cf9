"""Policy rules: a function in a file of `rules`, its kind of findings, and its key of policy.yaml.

`findings_of` applies them to a file.
"""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter

from harness.model.policy import Consequence, Finding, Policy, PolicyGroup, Requirement, Severity
from harness.policy.index import Index
from harness.policy.reading import PythonSource

# Limits the size of a report on a file that is full of forbidden things.
MAX_PER_RULE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingKind:
    """The names of a kind of findings: `name` in results.json and `expect.yaml`, `title` on pages.

    The clause and the consequence are those of the group, which is deducted for once.
    """

    name: str
    title: str
    group: PolicyGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSetting:
    """A key of policy.yaml with `{allow: […]}` or, if `may_forbid`, `{forbid: […]}`."""

    key: str
    description: str  # for editors
    noun: str  # the word for a name in messages
    names: Callable[[], tuple[str, ...]] | None = None  # that may be allowed; None: any
    may_forbid: bool = True
    forbidden: Callable[[], tuple[str, ...]] | None = None  # the same


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """A file that could be read, and the rules for it."""

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
    """A place at which a rule is broken (`node` None: the file as a whole, shown at line 1)."""

    node: ast.AST | None
    message: str
    word: str = ""  # what policy.yaml calls it
    # The requirement that is not met, which may have its own clause and consequence.
    requirement: Requirement | None = None

    @property
    def place(self) -> tuple[int, int, str, str]:
        """The order in which findings are shown."""
        line = getattr(self.node, "lineno", 1)
        offset = getattr(self.node, "col_offset", 0)
        return line, offset, self.message, self.word


Check = Callable[[CheckedFile], Iterable[Breach]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRule:
    """A check; rules run, and their findings at one place stand, in the order of `order`."""

    check: Check
    order: int
    kind: FindingKind
    setting: ListSetting | None


def policy_rule(
    order: int, kind: FindingKind, setting: ListSetting | None = None
) -> Callable[[Check], PolicyRule]:
    """Make a rule of a function in a file of `rules`, which is found there."""
    return lambda check: PolicyRule(check=check, order=order, kind=kind, setting=setting)


UNCHECKED = FindingKind(name="unchecked", title="Could not be checked", group=PolicyGroup.UNCHECKED)


def unchecked(file: str, reason: str) -> Finding:
    """Return the finding that asks a person to look at a file that may run and could not be
    checked."""
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
    """Return the breaches of these rules, in the order of the file, of each rule the first
    `MAX_PER_RULE`; and notes about those that are left out."""
    findings: list[Finding] = []
    notes: list[str] = []
    for rule in rules:
        # Two nodes may have the same place; a breach is shown once for each requirement.
        breaches = {(breach.place, breach.requirement): breach for breach in rule.check(file)}
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
            finding = Finding(
                rule=kind.name,
                clause=clause,
                file=file.source.name,
                line=line,
                column=file.source.column(line, offset),
                source=file.source.line(line),
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
    """Return a name or line for a sentence: one line, at most `most` characters."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    return flat[: most - 1] + "…"
