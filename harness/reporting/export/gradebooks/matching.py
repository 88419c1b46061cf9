"""What a gradebook takes from each submission, and which row is whose: as a match file says, else
by id, then by login or email, and by name only where it is unique.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from harness.common.csv_tables import columns_of, read_sheet, records_of
from harness.common.errors import UserError
from harness.common.person_names import id_key, name_keys
from harness.common.words import rounded
from harness.model.result import RunResult, SubmissionResult
from harness.reporting.export.exporter import Marks
from harness.reporting.view import words


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookEntry:
    """One submission. `mark` is its text, rounded once; without a mark it is empty and `why` says
    the reason, `waits` which marks a person has yet to give. `out_of` is the maximum of the marks
    that go out, `total_out_of` that of the whole assignment where it is another. `student_id`,
    `email` and `name` are empty where the source does not have them."""

    id: str
    student_id: str
    email: str
    name: str
    mark: str
    out_of: Fraction
    total_out_of: Fraction | None = None
    why: str = ""
    waits: str = ""
    comment: str = ""

    @property
    def shown(self) -> str:
        return f"{self.id} ({self.name})" if self.name and self.name != self.id else self.id


def gradebook_entries(run: RunResult, marks: Marks = Marks.TOTAL) -> tuple[GradebookEntry, ...]:
    """Every submission of a run. Only what is graded or unreadable has a mark."""
    return tuple(_entry(result, marks) for result in run.submissions)


def _entry(result: SubmissionResult, marks: Marks) -> GradebookEntry:
    total = marks is Marks.TOTAL
    mark = result.total if total else result.mark
    student = result.student
    return GradebookEntry(
        id=result.id,
        student_id=student.id if student else result.id,
        email=student.email if student else "",
        name=student.name if student else "",
        mark="" if mark is None else rounded(mark),
        out_of=result.total_out_of if total else result.out_of,
        total_out_of=result.total_out_of,
        why="" if mark is not None else _why(result),
        waits=", ".join(_missing(result)) if mark is None and result.mark is not None else "",
        comment=result.comment,
    )


def _why(result: SubmissionResult) -> str:
    if result.mark is None:
        return words.STATUS[result.status]
    return f"no mark yet for {', '.join(_missing(result))}"


def _missing(result: SubmissionResult) -> list[str]:
    return [part.slot.title for part in result.manual if part.mark is None]


_T = TypeVar("_T")
_DOWNLOAD = ("download id", "download", "submission id", "submission")
_GRADEBOOK = ("gradebook id", "gradebook")


class By(StrEnum):
    """What a row was matched by, best first."""

    FILE = "the match file"
    ID = "id"
    LOGIN = "login or email"
    NAME = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a row of a gradebook says about its student."""

    ids: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookRow:
    """A student's row; `row` counts from 0, the header included."""

    row: int
    identity: Identity

    @property
    def shown(self) -> str:
        who = self.identity
        return next((text for text in (*who.names, *who.ids, *who.logins) if text), "a row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A row and its submission."""

    row: GradebookRow
    entry: GradebookEntry
    by: By


def match_rows(
    rows: Sequence[GradebookRow], entries: Sequence[GradebookEntry], settled: Sequence[Match] = ()
) -> tuple[Match, ...]:
    """What can be matched without doubt, in the order of the rows; `settled` is decided.

    At each step a row and a submission are matched only when neither could be another's; what is
    not matched goes on to the next step.
    """
    found = list(settled)
    for by in (By.ID, By.LOGIN, By.NAME):
        taken = {id(each.row) for each in found} | {id(each.entry) for each in found}
        open_rows = [row for row in rows if id(row) not in taken]
        open_entries = [entry for entry in entries if id(entry) not in taken]
        found += _step(by, open_rows, open_entries)
    return tuple(sorted(found, key=lambda each: each.row.row))


def read_matches(
    path: Path, rows: Sequence[GradebookRow], entries: Sequence[GradebookEntry]
) -> tuple[Match, ...]:
    """The matches in a CSV file with the columns `download id` and `gradebook id`.

    The first is the id of a submission or of its student, the second an id or login of a row.
    Raises UserError with the line: a column is missing, an id is unknown, belongs to
    several or was given before.
    """
    sheet = read_sheet(path)
    columns = columns_of(sheet)
    if not (set(columns) & set(_DOWNLOAD) and set(columns) & set(_GRADEBOOK)):
        raise UserError(
            "needs the columns download id and gradebook id",
            place=f"{path}:1",
            hint="a submission's id and the id of its row in the gradebook, one pair a line",
        )
    of_entries: dict[str, list[GradebookEntry]] = {}
    for entry in entries:
        for key in _plain([entry.id, entry.student_id]):
            of_entries.setdefault(key, []).append(entry)
    of_rows: dict[str, list[GradebookRow]] = {}
    for row in rows:
        for key in _plain([*row.identity.ids, *row.identity.logins]):
            of_rows.setdefault(key, []).append(row)
    found: list[Match] = []
    for record in records_of(sheet):
        download, own = record.first(*_DOWNLOAD), record.first(*_GRADEBOOK)
        entry = _only(of_entries, download, "submission", "this run", record.place)
        row = _only(of_rows, own, "row", "the gradebook", record.place)
        if any(each.entry is entry or each.row is row for each in found):
            raise UserError(
                f"{download} or {own} was matched on a line above already", place=record.place
            )
        found.append(Match(row=row, entry=entry, by=By.FILE))
    return tuple(found)


def _only(known: dict[str, list[_T]], key: str, what: str, where: str, place: str) -> _T:
    found = known.get(id_key(key), [])
    if len(found) == 1:
        return found[0]
    count = f"{len(found)} of them have" if found else f"no {what} of {where} has"
    raise UserError(f"{count} the id {key!r}", place=place)


def _step(
    by: By, rows: Sequence[GradebookRow], entries: Sequence[GradebookEntry]
) -> Iterable[Match]:
    of_entries: dict[str, set[int]] = {}
    for index, entry in enumerate(entries):
        for key in _keys_of_entry(by, entry):
            of_entries.setdefault(key, set()).add(index)
    candidates = [
        {index for key in _keys_of_row(by, row.identity) for index in of_entries.get(key, ())}
        for row in rows
    ]
    claims: dict[int, int] = {}
    for each in candidates:
        for index in each:
            claims[index] = claims.get(index, 0) + 1
    for row, each in zip(rows, candidates, strict=True):
        if len(each) == 1 and claims[(index := next(iter(each)))] == 1:
            yield Match(row=row, entry=entries[index], by=by)


def _keys_of_row(by: By, who: Identity) -> set[str]:
    if by is By.NAME:
        return {key for name in who.names for key in name_keys(name)}
    return _plain(who.ids if by is By.ID else [*who.ids, *who.logins])


def _keys_of_entry(by: By, entry: GradebookEntry) -> set[str]:
    if by is By.NAME:
        return set(name_keys(entry.name or entry.id))
    if by is By.ID:
        return _plain([entry.student_id])
    # At many places a login is the part of the email before the @: used only where it is unique.
    local = entry.email.split("@", 1)[0]
    return _plain([entry.student_id, entry.email, local])


def _plain(texts: Iterable[str]) -> set[str]:
    return {id_key(text) for text in texts} - {""}
