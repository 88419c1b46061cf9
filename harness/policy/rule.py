"""What a policy rule is: a function in a file of `rules`, the kinds of findings that it makes and
the key of policy.yaml that states it; and what collects the findings of a file.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
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
    """A key of policy.yaml with `{allow: […]}` or, where `may_forbid`, `{forbid: […]}`.

    `names` gives the names that may be allowed, `forbidden` those that may be forbidden; None: any.
    `noun` is what a name is called in messages, `description` is for editors.
    """

    key: str
    description: str
    noun: str
    names: Callable[[], tuple[str, ...]] | None = None
    may_forbid: bool = True
    forbidden: Callable[[], tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """A file that could be read, and what it is held to."""

    index: Index
    policy: Policy
    defined: Mapping[str, frozenset[str]]
    """What the other files of the submission and the provided modules define, by module."""

    @property
    def provided(self) -> frozenset[str]:
        return frozenset(self.policy.provided_names)


Check = Callable[[CheckedFile, "FindingCollector"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRule:
    """A check; rules run, and their findings at one place stand, in the order of `order`."""

    check: Check
    order: int
    kinds: tuple[FindingKind, ...]
    setting: ListSetting | None


def policy_rule(
    order: int, *kinds: FindingKind, setting: ListSetting | None = None
) -> Callable[[Check], PolicyRule]:
    """Make a rule of a function, which is then found by itself."""
    return lambda check: PolicyRule(check=check, order=order, kinds=kinds, setting=setting)


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


class FindingCollector:
    """Collects findings of one file; `findings()` gives them in the order of the file."""

    def __init__(self, source: Source, policy: Policy, kinds: Sequence[FindingKind]) -> None:
        """`kinds` are those that there are, in the order in which findings at one place stand."""
        self._source = source
        self._policy = policy
        self._kinds = kinds
        self._places: dict[FindingKind, set[tuple[int, int, str, str]]] = {}

    def add(self, kind: FindingKind, node: ast.AST | None, message: str, word: str = "") -> None:
        """Write down that `node` (None: the file as a whole, shown at line 1) broke a rule."""
        place = (getattr(node, "lineno", 1), getattr(node, "col_offset", 0), message, word)
        self._places.setdefault(kind, set()).add(place)

    def findings(self) -> tuple[Finding, ...]:
        """At most `MAX_PER_RULE` of each kind, the first in the file."""
        first = [
            self._finding(kind, *place)
            for kind, places in self._places.items()
            for place in sorted(places)[:MAX_PER_RULE]
        ]
        order = [kind.name for kind in self._kinds]
        first.sort(key=lambda f: (f.line, f.column, order.index(f.rule), f.message))
        return tuple(first)

    def notes(self) -> tuple[str, ...]:
        return tuple(
            f"{self._source.name}: {len(self._places[kind]) - MAX_PER_RULE} more findings of the "
            f"kind {kind.name} are not listed"
            for kind in self._kinds
            if len(self._places.get(kind, ())) > MAX_PER_RULE
        )

    def _finding(
        self, kind: FindingKind, line: int, offset: int, message: str, word: str
    ) -> Finding:
        return Finding(
            rule=kind.name,
            clause=self._policy.clause_of(kind.group),
            file=self._source.name,
            line=line,
            column=self._source.column(line, offset),
            source=self._source.line(line),
            message=message,
            consequence=self._policy.consequence_of(kind.group),
            word=word,
        )


def short(text: str, most: int = 60) -> str:
    """A name or line fit for a sentence: one line, not longer than `most`."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
