"""Whose row is whose submission: by id, then by login or email, by name only where it is unique."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from harness.common.person_names import id_key, name_keys
from harness.reporting.export.gradebooks.standing import GradebookEntry


class By(StrEnum):
    """What a row was matched by, best first."""

    ID = "id"
    LOGIN = "login or email"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A row of a gradebook: what it tells of its student."""

    row: int
    ids: tuple[str, ...]
    logins: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def shown(self) -> str:
        """The row for a message."""
        return next((text for text in (*self.names, *self.ids, *self.logins) if text), "a row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A row and its submission."""

    person: Person
    standing: GradebookEntry
    by: By


def match(
    people: Sequence[Person], gradebook_entries: Sequence[GradebookEntry]
) -> tuple[Match, ...]:
    """Match what can be matched without doubt, in the order of the rows.

    At each step a row and a submission are matched only when neither could be another's; who is
    not matched by the best that is known of both goes on to the next.
    """
    found: list[Match] = []
    rows, waiting = list(people), list(gradebook_entries)
    for by in By:
        step = list(_step(by, rows, waiting))
        found += step
        taken = {id(each.person) for each in step}
        taken |= {id(each.standing) for each in step}
        rows = [person for person in rows if id(person) not in taken]
        waiting = [standing for standing in waiting if id(standing) not in taken]
    return tuple(sorted(found, key=lambda each: each.person.row))


def _step(by: By, rows: list[Person], waiting: list[GradebookEntry]) -> Iterable[Match]:
    gradebook_entries: dict[str, set[int]] = {}
    for index, standing in enumerate(waiting):
        for key in _keys_of_standing(by, standing):
            gradebook_entries.setdefault(key, set()).add(index)
    wanted = [_candidates(_keys_of_person(by, person), gradebook_entries) for person in rows]
    claims: dict[int, int] = {}
    for candidates in wanted:
        for index in candidates:
            claims[index] = claims.get(index, 0) + 1
    for person, candidates in zip(rows, wanted, strict=True):
        if len(candidates) == 1 and claims[(index := next(iter(candidates)))] == 1:
            yield Match(person=person, standing=waiting[index], by=by)


def _candidates(keys: Iterable[str], gradebook_entries: dict[str, set[int]]) -> set[int]:
    return {index for key in keys for index in gradebook_entries.get(key, ())}


def _keys_of_person(by: By, person: Person) -> set[str]:
    match by:
        case By.ID:
            return _plain(person.ids)
        case By.LOGIN:
            return _plain([*person.ids, *person.logins])
        case By.NAME:
            return {key for name in person.names for key in name_keys(name)}


def _keys_of_standing(by: By, standing: GradebookEntry) -> set[str]:
    match by:
        case By.ID:
            return _plain([standing.student_id])
        case By.LOGIN:
            # A login is the part before the @ at many places: tried here, where it is unique.
            local = standing.email.split("@", 1)[0]
            return _plain([standing.student_id, standing.email, local])
        case By.NAME:
            return set(name_keys(standing.name or standing.id))


def _plain(texts: Iterable[str]) -> set[str]:
    return {id_key(text) for text in texts} - {""}
