"""What a class is held to: when it was due, for whom later, and who should have handed in.

The list of students is a CSV file: any platform's gradebook will do. Times are compared in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from harness.common.csv_tables import Record, Sheet, columns_of, read_sheet, records_of
from harness.common.errors import UserError
from harness.common.person_names import id_key, is_test_student
from harness.intake.entries import clean_name
from harness.model.plan import Assignment
from harness.model.submission import Student

# The first of these that a file has is the id of its students; all of them are known by.
ID_COLUMNS = (
    *("id", "identifier", "canvas user id", "sid", "username", "user name", "orgdefinedid"),
    *("student id", "student number", "user id", "sis user id", "sis login id", "login id"),
    *("email", "email address", "e-mail"),
)
_EMAILS = ("email", "email address", "e-mail")
_NAMES = ("name", "full name", "student", "student name")
_GROUPS = ("group", "group name")
_POINTS = "points possible"  # Canvas has a line about points among those about students
_TIMES = ("handed in", "last modified (submission)")
_MOODLE_ID = re.compile(r"participant (?=[0-9])", re.IGNORECASE)
_PARTICIPANT = re.compile(r"(?P<word>[^\W\d][^\d@]*)(?P<number>[0-9]+)")
_LONG_WORD = 8
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_MOODLE_TIME = "%A, %d %B %Y, %I:%M %p"
_ZONE_HINT = "write it as 2024-09-24T17:00+10:00, or name a --time-zone"
_EARLIER, _LATER = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassOptions:
    """What the user asked for, as it was written. `layout` None: recognise it."""

    layout: str | None = None
    due: str | None = None
    time_zone: str | None = None
    extensions: Path | None = None
    roster: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """A student's own due time."""

    id: str
    due: datetime
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What one student is held to; `extended` where it is not the class's. No `at`: nothing."""

    at: datetime | None = None
    extended: bool = False


NO_DUE = Due()


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A student on the roster: every id the row has, the group, and a time of handing in where
    the row has one."""

    student: Student
    ids: frozenset[str]
    group: str = ""
    handed_in: datetime | None = None
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What was asked for, read."""

    zone: ZoneInfo | None = None
    due: datetime | None = None
    extensions: tuple[Extension, ...] = ()
    roster: tuple[Listed, ...] | None = None
    roster_place: str = ""


def read_terms(asked: ClassOptions, assignment: Assignment) -> Terms:
    """Raises UserError for what cannot be read or does not go together."""
    name = asked.time_zone or assignment.time_zone
    place = "--time-zone" if asked.time_zone else "time_zone of the assignment"
    zone = zone_named(name, place) if name else None
    due = due_time(asked.due, zone, "--due") if asked.due else None
    if asked.extensions is not None and due is None:
        raise UserError(
            "extensions are of a due time, and there is none",
            place="--extensions",
            hint="add --due",
        )
    return Terms(
        zone=zone,
        due=due,
        extensions=_extensions(asked.extensions, zone) if asked.extensions else (),
        roster=read_roster(asked.roster, zone) if asked.roster else None,
        roster_place=str(asked.roster or ""),
    )


def _extensions(path: Path, zone: ZoneInfo | None) -> tuple[Extension, ...]:
    sheet = read_sheet(path)
    for column in ("id", "due"):
        if column not in columns_of(sheet):
            raise UserError(
                f"there is no column {column}", place=f"{path}:1", hint="begin with a line id,due"
            )
    by_id: dict[str, Extension] = {}
    for row in records_of(sheet):
        name = row.first("id")
        if not name:
            raise UserError("there is no id", place=row.place, hint="write id,due in each line")
        due = due_time(row.first("due"), zone, row.place)
        _check_new(name, row.place, by_id.get(name))
        by_id[name] = Extension(id=name, due=due, place=row.place)
    return tuple(by_id.values())


def read_roster(path: Path, zone: ZoneInfo | None) -> tuple[Listed, ...]:
    """All students on it. Raises UserError: no column of ids, a student without one, an id listed
    twice, a time that cannot be read, no student at all."""
    sheet = _in_english(read_sheet(path))
    ids = [name for name in ID_COLUMNS if name in columns_of(sheet)]
    if not ids:
        raise UserError(
            "there is no column of ids",
            place=f"{path}:1",
            hint="call it ID, SID, Username or Email; a platform's list: download it in English",
        )
    listed: dict[str, Listed] = {}
    for row in records_of(sheet):
        one = _student_listed(row, ids, zone)
        if one is None:
            continue
        key = id_key(one.student.id)
        _check_new(one.student.id, row.place, listed.get(key))
        listed[key] = one
    if not listed:
        raise UserError("there is nobody on this list", place=str(path))
    return tuple(listed.values())


def _check_new(name: str, place: str, earlier: Extension | Listed | None) -> None:
    if earlier is not None:
        what = f"the id {name} is here again, after {earlier.place}"
        raise UserError(what, place=place, hint="leave one line of the two")


def _in_english(sheet: Sheet) -> Sheet:
    """Moodle's worksheet of another language with the names that its columns have in English, known
    by a column of one word and a participant's number in every row; any other sheet as it is."""
    header, *rows = [list(row) for row in sheet.rows]
    named = bool(set(ID_COLUMNS) & set(columns_of(sheet)))
    for own in range(len(header)):
        matches = [_PARTICIPANT.fullmatch(row[own].strip()) for row in rows if own < len(row)]
        words = {match["word"] if match else "" for match in matches}
        word = next(iter(words)) if len(words) == 1 else ""
        # A short word before a number is a login's (`student12`), where a column says so.
        if not word or (named and len(word) < _LONG_WORD):
            continue
        header[own : own + 2] = ["Identifier", "Full name"][: len(header) - own]
        for column in range(own + 2, len(header)):
            if all(_EMAIL.fullmatch(row[column].strip()) for row in rows if column < len(row)):
                header[column] = "Email address"
        for row, match in zip(rows, matches, strict=False):
            row[own] = match["number"] if match else ""
        return sheet.with_rows([header, *rows])
    return sheet


def _student_listed(row: Record, ids: Iterable[str], zone: ZoneInfo | None) -> Listed | None:
    name = row.first(*_NAMES) or f"{row.first('first name')} {row.first('last name')}".strip()
    if is_test_student(name):
        return None
    ids_of_row = [each for column in ids if (each := _plain_id(row.first(column)))]
    if not ids_of_row and name and _POINTS not in id_key(name):
        raise UserError(f"there is no id of {clean_name(name)}", place=row.place, hint="write one")
    if not ids_of_row:
        return None
    text = row.first(*_TIMES)
    at = _time(text, row.place) if text not in ("", "-") else None
    return Listed(
        student=Student(
            id=clean_name(ids_of_row[0]),
            name=clean_name(name),
            email=clean_name(row.first(*_EMAILS)),
        ),
        ids=frozenset(id_key(each) for each in ids_of_row),
        group=id_key(row.first(*_GROUPS)),
        handed_in=None if at is None else in_zone(at, zone),
        place=row.place,
    )


def _plain_id(cell: str) -> str:
    """Brightspace writes `#4711`, Moodle `Participant 4711`."""
    return _MOODLE_ID.sub("", cell.removeprefix("#"))


def _time(text: str, place: str) -> datetime:
    for read in (datetime.fromisoformat, lambda each: datetime.strptime(each, _MOODLE_TIME)):
        try:
            return read(text)
        except ValueError:
            continue
    raise UserError(
        f"{text!r} is no time that can be read",
        place=place,
        hint="write it as 2024-09-24T17:00+10:00",
    )


def zone_named(name: str, place: str) -> ZoneInfo:
    """The zone of an IANA name. Raises UserError for a name that this machine does not know."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise UserError(
            f"there is no time zone {name!r}", place=place, hint="write one like Australia/Brisbane"
        ) from None


def due_time(text: str, zone: ZoneInfo | None, place: str) -> datetime:
    """A due time, with a zone. The clock time that an autumn night has twice is the later one, so
    that nobody is late by it. Raises UserError for anything but a day and a time in a zone, and for
    one that a spring night leaves out."""
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UserError(f"{text!r} is no time", place=place, hint=_ZONE_HINT) from None
    if len(text.strip()) <= len("2024-09-24"):
        raise UserError(f"{text!r} is a day without a time", place=place, hint=_ZONE_HINT)
    if at.tzinfo is None and zone is None:
        raise UserError(f"{text!r} has no zone", place=place, hint=_ZONE_HINT)
    due = in_zone(at, zone, fold=_LATER)
    if instant(due).astimezone(due.tzinfo).replace(tzinfo=None) != at.replace(tzinfo=None):
        raise UserError(
            f"{text!r} does not exist in {zone}: summer time begins",
            place=place,
            hint="write the time an hour later, or with its offset",
        )
    return due


def in_zone(at: datetime, zone: ZoneInfo | None, *, fold: int = _EARLIER) -> datetime:
    """A naive time as the zone's clock showed it; of the two that an autumn night has the earlier
    one, so that nobody is late by it. A time that has a zone stays, as does one without any."""
    if at.tzinfo is not None or zone is None:
        return at
    return at.replace(tzinfo=zone, fold=fold)


def instant(at: datetime) -> datetime:
    """The same in UTC, for comparing: within one zone Python compares clocks. A naive time is
    taken as UTC, which keeps the order among naive ones."""
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def shown(at: datetime) -> str:
    """ISO 8601 to the second, with the offset where there is one."""
    return at.isoformat(timespec="seconds")
