"""What a policy rule is: a function in a file of `rules`, the kind of findings that it makes and
the key of policy.yaml that states it; and the findings of a file."""

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from harness.model.policy import Consequence, Finding, Policy, PolicyGroup, Severity
from harness.policy.index import Index
from harness.policy.reading import Source

# Limits the size of a report on a file that is full of forbidden things.
MAX_PER_RULE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingKind:
    """What findings are called: `name` in results.json and `expect.yaml`, `title` on pages. The
    clause and the consequence are those of the group, which is deducted for once."""

    name: str
    title: str
    group: PolicyGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSetting:
    """A key of policy.yaml with `{allow: […]}` or, where `may_forbid`, `{forbid: […]}`."""

    key: str
    description: str  # for editors
    noun: str  # what a name is called in messages
    names: Callable[[], tuple[str, ...]] | None = None  # that may be allowed; None: any
    may_forbid: bool = True
    forbidden: Callable[[], tuple[str, ...]] | None = None  # the same


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """A file that could be read, and what it is held to."""

    source: Source
    policy: Policy
    defined: Mapping[str, frozenset[str]]
    """What the other files of the submission and the provided modules define, by module."""

    @property
    def index(self) -> Index:
        return self.source.index

    @property
    def provided(self) -> frozenset[str]:
        return frozenset(self.policy.provided_names)


@dataclass(frozen=True, slots=True)
class Breach:
    """A place where a rule is broken (`node` None: the file as a whole, shown at line 1)."""

    node: ast.AST | None
    message: str
    word: str = ""  # what policy.yaml calls it

    @property
    def place(self) -> tuple[int, int, str, str]:
        """Findings are shown in this order."""
        line, offset = getattr(self.node, "lineno", 1), getattr(self.node, "col_offset", 0)
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
    """Make a rule of a function, which is then found by itself."""
    return lambda check: PolicyRule(check=check, order=order, kind=kind, setting=setting)


UNCHECKED = FindingKind(name="unchecked", title="Could not be checked", group=PolicyGroup.UNCHECKED)


def unchecked(file: str, reason: str) -> Finding:
    """A person is to look at a file that may run and could not be checked."""
    return Finding(
        rule=UNCHECKED.name,
        clause="",
        file=file,
        line=1,
        column=1,
        source="",
        message=f"this file could not be checked ({reason}); read it before its mark counts",
        consequence=Consequence(severity=Severity.REVIEW),
    )


def findings_of(
    file: CheckedFile, rules: Iterable[PolicyRule]
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """What breaks these rules, in the order of the file, of each rule the first `MAX_PER_RULE`; and
    notes about those that are left out."""
    first: list[Finding] = []
    notes, source = [], file.source
    for rule in rules:
        name, group = rule.kind.name, rule.kind.group
        places = sorted({breach.place for breach in rule.check(file)})
        first += (
            Finding(
                rule=name,
                clause=file.policy.clause_of(group),
                file=source.name,
                line=line,
                column=source.column(line, offset),
                source=source.line(line),
                message=message,
                consequence=file.policy.consequence_of(group),
                word=word,
            )
            for line, offset, message, word in places[:MAX_PER_RULE]
        )
        if (more := len(places) - MAX_PER_RULE) > 0:
            notes.append(f"{source.name}: {more} more findings of the kind {name} are not listed")
    return tuple(sorted(first, key=lambda finding: (finding.line, finding.column))), tuple(notes)


def short(text: str, most: int = 60) -> str:
    """A name or line fit for a sentence: one line, not longer than `most`."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
