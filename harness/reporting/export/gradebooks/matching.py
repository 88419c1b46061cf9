"""What a gradebook takes from each submission, and which row is whose: as a match file says, else
by id, then by login or email, and by name only where it is unique.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from harness.common.csv_tables import columns_of, read_sheet, records_of
from harness.common.errors import UserError
from harness.common.person_names import by_key, id_key, name_keys
from harness.common.words import rounded
from harness.model.result import SubmissionResult
from harness.reporting.export.exporter import Marks
from harness.reporting.view import words


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookEntry:
    """One submission; what its source does not say of the student is empty."""

    id: str
    student_id: str
    email: str
    name: str
    mark: str  # rounded once; empty without one
    out_of: Fraction  # the maximum of the marks that go out
    total_out_of: Fraction | None = None  # that of the whole assignment
    why: str = ""  # there is no mark
    waits: str = ""  # for these marks of a person
    comment: str = ""

    @property
    def shown(self) -> str:
        return f"{self.id} ({self.name})" if self.name and self.name != self.id else self.id


def gradebook_entry(result: SubmissionResult, marks: Marks) -> GradebookEntry:
    """What goes out of a result. Only what is graded or unreadable has a mark."""
    total = marks is Marks.TOTAL
    mark = result.total if total else result.mark
    student = result.student
    missing = ", ".join(part.slot.title for part in result.manual if part.mark is None)
    why = f"no mark yet for {missing}"
    if result.mark is None:
        why, missing = words.STATUS[result.status], ""
    return GradebookEntry(
        id=result.id,
        student_id=student.id if student else result.id,
        email=student.email if student else "",
        name=student.name if student else "",
        mark="" if mark is None else rounded(mark),
        out_of=result.total_out_of if total else result.out_of,
        total_out_of=result.total_out_of,
        why=why if mark is None else "",
        waits=missing if mark is None else "",
        comment=result.comment,
    )


_T = TypeVar("_T")
_DOWNLOAD = ("download id", "download", "submission id", "submission")
_GRADEBOOK = ("gradebook id", "gradebook")


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a row of a gradebook says about its student."""

    ids: tuple[str, ...] = ()
    logins: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    row: int = 0  # the header included

    @property
    def shown(self) -> str:
        return next((text for text in (*self.names, *self.ids, *self.logins) if text), "a row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A row and its submission."""

    student: Identity
    entry: GradebookEntry
    by_name: bool = False


def match_rows(
    students: Sequence[Identity], entries: Sequence[GradebookEntry], settled: Sequence[Match] = ()
) -> tuple[Match, ...]:
    """What can be matched without doubt, in the order of the rows; `settled` is decided.

    By id, then by login, then by name: at each step a row and a submission are matched only when
    neither could be another's; what is not matched goes on to the next step.
    """
    matches = list(settled)
    for step in range(3):
        taken = {id(side) for match in matches for side in (match.student, match.entry)}
        of_key = by_key(
            (entry, _keys_of_entry(entry)[step]) for entry in entries if id(entry) not in taken
        )
        candidates: list[tuple[Identity, dict[int, GradebookEntry]]] = []
        for student in students:
            if id(student) not in taken:
                alike = (entry for key in _keys_of_row(student)[step] for entry in of_key[key])
                candidates.append((student, {id(entry): entry for entry in alike}))
        claims = Counter(number for _, fitting in candidates for number in fitting)
        for student, fitting in candidates:
            if len(fitting) == 1 and claims[next(iter(fitting))] == 1:
                (entry,) = fitting.values()
                matches.append(Match(student=student, entry=entry, by_name=step == 2))
    return tuple(sorted(matches, key=lambda match: match.student.row))


def read_matches(
    path: Path, students: Sequence[Identity], entries: Sequence[GradebookEntry]
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
    of_entries = by_key((entry, _plain([entry.id, entry.student_id])) for entry in entries)
    of_rows = by_key((student, _keys_of_row(student)[1]) for student in students)
    matches: list[Match] = []
    for record in records_of(sheet):
        download, own = record.first(*_DOWNLOAD), record.first(*_GRADEBOOK)
        entry = _only(of_entries, download, "submission of this run", record.place)
        student = _only(of_rows, own, "row of the gradebook", record.place)
        if any(match.entry is entry or match.student is student for match in matches):
            raise UserError(
                f"{download} or {own} was matched on a line above already", place=record.place
            )
        matches.append(Match(student=student, entry=entry))
    return tuple(matches)


def _only(of_key: Mapping[str, list[_T]], key: str, what: str, place: str) -> _T:
    fitting = of_key.get(id_key(key), [])
    if len(fitting) == 1:
        return fitting[0]
    count = f"{len(fitting)} of them have" if fitting else f"no {what} has"
    raise UserError(f"{count} the id {key!r}", place=place)


def _keys_of_row(student: Identity) -> tuple[set[str], set[str], set[str]]:
    names = {key for name in student.names for key in name_keys(name)}
    return _plain(student.ids), _plain([*student.ids, *student.logins]), names


def _keys_of_entry(entry: GradebookEntry) -> tuple[set[str], set[str], set[str]]:
    # At many places a login is the part of the email before the @: used only where it is unique.
    logins = [entry.student_id, entry.email, entry.email.split("@", 1)[0]]
    return _plain([entry.student_id]), _plain(logins), set(name_keys(entry.name or entry.id))


def _plain(texts: Iterable[str]) -> set[str]:
    return {id_key(text) for text in texts} - {""}
