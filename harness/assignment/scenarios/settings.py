"""A scenario's settings.

A scenario's own settings come before those at the head of its file. `given` and `constants` add to
the head's, `limits` are merged key by key; every other key replaces the head's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from harness.assignment.document import Document, Loc
from harness.assignment.problems import nearest
from harness.assignment.scenarios.stimulus import stimulus_kinds
from harness.assignment.vocabulary import Vocabulary
from harness.model.plan import Clause, Visibility
from harness.model.stimulus import Limits

if TYPE_CHECKING:
    from harness.assignment.scenarios.shape import ScenarioShape, SettingsShape
    from harness.assignment.shapes import LimitsShape

_VISIBILITY: dict[Any, Visibility] = {
    True: Visibility.VISIBLE,
    False: Visibility.HIDDEN,
    "after_due_date": Visibility.AFTER_DUE_DATE,
    "after_published": Visibility.AFTER_PUBLISHED,
}


@dataclass(frozen=True, slots=True)
class Setting:
    """The settings in force for one scenario, and where each is stated.

    `broken` are the keys (also unknown ones) that have a mistake already and are left out. Of one
    row of a table `row` is its place, and what it states has taken the scenario's place in `own`.
    """

    head: SettingsShape
    own: ScenarioShape
    loc: Loc
    broken: frozenset[Any] = frozenset()
    row: Loc = ()
    row_keys: frozenset[str] = frozenset()

    def at(self, key: str) -> Loc:
        """Where the scenario itself, or its row, states the key."""
        return (*(self.row if key in self.row_keys else self.loc), key)

    def states(self, key: str) -> bool:
        """Whether the scenario itself states the key."""
        return key in self.own.model_fields_set

    def value(self, key: str) -> Any:
        """The scenario's value, else the head's, else the default."""
        return getattr(self.own if self.states(key) else self.head, key)

    def where(self, key: str) -> Loc:
        """Where that value is (the scenario itself if nowhere)."""
        if self.states(key):
            return self.at(key)
        return (key,) if key in self.head.model_fields_set else self.loc

    def layers(self, key: str) -> Iterable[tuple[Loc, Any]]:
        """The head's value, then the scenario's, each where it is stated."""
        if key in self.head.model_fields_set:
            yield (key,), getattr(self.head, key)
        if self.states(key):
            yield self.at(key), getattr(self.own, key)

    @property
    def stimulus(self) -> str:
        """The text of the scenario's one stimulus."""
        key = next(filter(self.states, stimulus_kinds()))
        return str(getattr(self.own, key))

    @property
    def visibility(self) -> Visibility:
        """Who may see the scenario."""
        return _VISIBILITY[self.value("visible")]

    def limits(self, base: Limits) -> Limits:
        """The limits in force over the assignment's."""
        for shape in (self.head.limits, self.own.limits):
            base = merged(base, shape)
        return base


def merged(base: Limits, shape: LimitsShape) -> Limits:
    """`base` with the keys that the shape states."""
    changes: dict[str, Any] = {name: getattr(shape, name) for name in shape.model_fields_set}
    return replace(base, **changes)


def check_function(document: Document, vocabulary: Vocabulary, chosen: Setting) -> None:
    """A mistake if the scenario belongs to no function of the reference."""
    name = chosen.value("function")
    if not name and not chosen.broken:
        hint = "name the function that the points belong to, here or at the head of the file"
        document.add(chosen.loc, "the key function is missing", hint)
    elif name and vocabulary.has_reference:
        known = (*vocabulary.function_names, *vocabulary.submission_files, *vocabulary.provided)
        if name not in known:
            what, hint = f"the reference has no function {name}", nearest(name, known)
            owner, _, member = name.rpartition(".")
            if member.startswith("__") and owner in known:
                what = f"{name} has no row of its own"
                hint = f"special methods belong to their class: write function: {owner}"
            document.add(chosen.where("function"), what, hint)


def check_clauses(document: Document, vocabulary: Vocabulary, chosen: Setting) -> None:
    """A mistake for every clause that clauses.yaml does not list."""
    for index, name in enumerate(chosen.value("clause")):
        has_clause(document, (*chosen.where("clause"), index), name, vocabulary.clauses)


def has_clause(document: Document, loc: Loc, name: str, clauses: tuple[Clause, ...] | None) -> bool:
    """Whether the assignment has the clause, or has no file of clauses (None); else a mistake is
    noted."""
    known = [] if clauses is None else [clause.id for clause in clauses]
    if clauses is None or name in known:
        return True
    hint = nearest(name, known) or "list it, with what the sheet says, in clauses.yaml"
    document.add(loc, f"unknown clause {name}", hint)
    return False
