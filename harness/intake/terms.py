"""What a class is held to: when it was due, for whom later, and who should have handed in.

The list of students is a CSV file: any platform's gradebook will do. Times are compared in UTC.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from harness.common.csv_tables import Record, read_sheet
from harness.common.errors import UserError
from harness.common.people import id_key, id_keys
from harness.common.words import zone_hint
from harness.intake.entries import clean_name
from harness.intake.gradebook import person_in
from harness.intake.headings import EMAILS, TIMES, in_english, time_in
from harness.intake.lateness import LateTerms
from harness.intake.platforms.moodle import worksheet_in_english
from harness.intake.uploads import Listed, student
from harness.model.plan import Assignment

# The first of these that a file has is the id of its students; all of them are known by.
ID_COLUMNS = (
    *("id", "identifier", "canvas user id", "sid", "username", "user name", "orgdefinedid"),
    *("student id", "student number", "user id", "sis user id", "sis login id", "login id"),
    *EMAILS,
)
SLIP_DAYS = "slip days"
_REPORT = "marks.csv"  # of a report folder
_MOST_DIGITS = 4
_GROUPS = ("group", "group name")
_ZONE_HINT = "write it as 2024-09-24T17:00+10:00, or name a --time-zone"
_EARLIER, _LATER = 0, 1
_YEARS = range(1970, 9000)  # so that days may be added, and any zone's offset


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassOptions:
    """What the user asked for, as it was written. `layout` None: recognise it."""

    layout: str | None = None
    due: str | None = None
    time_zone: str | None = None
    extensions: Path | None = None
    roster: Path | None = None
    slip_days: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SlipDays:
    """What a student used of the slip days in another assignment."""

    id: str
    keys: frozenset[str]
    count: int
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """A student's own due time."""

    id: str
    due: datetime
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The options about people and times, read from their files."""

    zone: ZoneInfo | None = None
    due: datetime | None = None
    extensions: tuple[Extension, ...] = ()
    roster: tuple[Listed, ...] | None = None
    roster_place: str = ""
    late: LateTerms | None = None  # of a student who has used no slip days
    slip_days: tuple[SlipDays, ...] = ()


def read_terms(asked: ClassOptions, assignment: Assignment) -> Terms:
    """Read the options.

    Raise UserError for files that cannot be read and options that do not go together.
    """
    name = asked.time_zone or assignment.time_zone
    place = "--time-zone" if asked.time_zone else "time_zone of the assignment"
    try:
        zone = ZoneInfo(name) if name else None
    except (KeyError, ValueError, OSError):
        what = f"there is no time zone {name!r}"
        raise UserError(what, place=place, hint=zone_hint()) from None
    due = due_time(asked.due, zone, "--due") if asked.due else None
    if asked.extensions is not None and due is None:
        what = "extensions are of a due time, and there is none"
        raise UserError(what, place="--extensions", hint="add --due")
    late = assignment.late if due is not None else None
    slip_days = late.slip_days if late is not None else 0
    if asked.slip_days and not slip_days:
        what = "there are no slip days to use"
        hint = "add --due, and to assignment.yaml late: {slip_days: 4}"
        raise UserError(what, place="--slip-days", hint=hint)
    return Terms(
        zone=zone,
        due=due,
        extensions=_extensions(asked.extensions, zone) if asked.extensions else (),
        roster=read_roster(asked.roster, zone) if asked.roster else None,
        roster_place=str(asked.roster or ""),
        late=None if late is None else LateTerms(policy=late, zone=zone, slip_days=slip_days),
        slip_days=tuple(used for path in asked.slip_days for used in _slip_days(path)),
    )


def _extensions(path: Path, zone: ZoneInfo | None) -> tuple[Extension, ...]:
    sheet = read_sheet(path)
    for column in ("id", "due"):
        if sheet.column(column) is None:
            what, hint = f"there is no column {column}", "begin with a line id,due"
            raise UserError(what, place=f"{path}:1", hint=hint)
    by_id: dict[str, Extension] = {}
    for row in sheet.records:
        if not (name := row.first("id")):
            raise UserError("there is no id", place=row.place, hint="write id,due in each line")
        due = due_time(row.first("due"), zone, row.place)
        _check_new(name, row.place, by_id.get(name))
        by_id[name] = Extension(id=name, due=due, place=row.place)
    return tuple(by_id.values())


def _slip_days(path: Path) -> Iterator[SlipDays]:
    """Return the used slip days from a CSV file, or from the report in a folder; a student may
    have several rows.
    """
    sheet = read_sheet(path / _REPORT if path.is_dir() else path)
    if sheet.column(SLIP_DAYS) is None:
        what, hint = f"there is no column {SLIP_DAYS}", f"begin with a line id,{SLIP_DAYS}"
        if path.is_dir():
            hint = "leave it out: its assignment has no slip days"
        raise UserError(what, place=f"{sheet.place}:1", hint=hint)
    for row in sheet.records:
        ids = row.every("id", "student", "email")
        text = row.first(SLIP_DAYS) or "0"
        if not ids:
            hint = f"write id,{SLIP_DAYS} in each line"
            raise UserError("there is no id", place=row.place, hint=hint)
        if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
            what, hint = f"{text!r} is not a number of days", "write a whole number"
            raise UserError(what, place=row.place, hint=hint)
        yield SlipDays(id=ids[0], keys=id_keys(ids), count=int(text), place=row.place)


def read_roster(path: Path, zone: ZoneInfo | None) -> tuple[Listed, ...]:
    """Return all students on the roster.

    Raise UserError if it has no column of ids, a student without an id, an id listed twice, a time
    that cannot be read, or no student.
    """
    sheet = read_sheet(path)
    is_moodles = sheet.column(*ID_COLUMNS) is None
    sheet = in_english(worksheet_in_english(sheet, is_moodles=is_moodles) or sheet, ID_COLUMNS)
    if sheet.column(*ID_COLUMNS) is None:
        hint = "call one of the columns ID, SID, Username or Email"
        raise UserError("there is no column of ids", place=f"{path}:1", hint=hint)
    listed: dict[str, Listed] = {}
    for row in sheet.records:
        if (one := _student_listed(row, zone)) is not None:
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


def _student_listed(row: Record, zone: ZoneInfo | None) -> Listed | None:
    person = person_in(row, ID_COLUMNS)
    if person is not None and person.name and not person.ids:
        name = clean_name(person.name)
        raise UserError(f"there is no id of {name}", place=row.place, hint="write one")
    if person is None or not person.ids:
        return None
    text = row.first(*TIMES)
    at = in_zone(_time(text, row.place), zone) if text not in ("", "-") else None
    who = student(person.ids[0], person.name, row.first(*EMAILS))
    return Listed(
        student=who,
        person=replace(person, name=who.name),
        group=id_key(row.first(*_GROUPS)),
        handed_in=at,
        place=row.place,
    )


def _time(text: str, place: str) -> datetime:
    at = time_in(text)
    if at is not None and at.year in _YEARS:
        return at
    what, hint = f"{text!r} is not a time that can be read", "write it as 2024-09-24T17:00+10:00"
    raise UserError(what, place=place, hint=hint)


def due_time(text: str, zone: ZoneInfo | None, place: str) -> datetime:
    """Return a due time with a zone.

    If an autumn night has the clock time twice, the later one counts, so that nobody is late by it.
    Raise UserError for anything but a day and a time in a zone, and for a time that a spring night
    leaves out.
    """
    try:
        at = datetime.fromisoformat(text.strip())
        if at.year not in _YEARS:
            raise ValueError
    except ValueError:
        raise UserError(f"{text!r} is not a time", place=place, hint=_ZONE_HINT) from None
    if len(text.strip()) <= len("2024-09-24"):
        raise UserError(f"{text!r} is a day without a time", place=place, hint=_ZONE_HINT)
    if at.tzinfo is None and zone is None:
        raise UserError(f"{text!r} has no zone", place=place, hint=_ZONE_HINT)
    due = in_zone(at, zone, fold=_LATER)
    if instant(due).astimezone(due.tzinfo).replace(tzinfo=None) != at.replace(tzinfo=None):
        what = f"{text!r} does not exist in {zone}: summer time begins"
        hint = "write the time an hour later, or with its offset"
        raise UserError(what, place=place, hint=hint)
    return due


def in_zone(at: datetime, zone: ZoneInfo | None, *, fold: int = _EARLIER) -> datetime:
    """Return a naive time as the zone's clock showed it; if an autumn night has it twice, the
    earlier one, so that nobody is late by it. A time with a zone stays, as does one without
    any.
    """
    return at if at.tzinfo or not zone else at.replace(tzinfo=zone, fold=fold)


def instant(at: datetime) -> datetime:
    """Return the time in UTC for comparing: within one zone Python compares clocks.

    A naive time is taken as UTC, which keeps the order among naive ones.
    """
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def iso_time(at: datetime) -> str:
    """Return the time in ISO 8601 to the second, with the offset if it has one."""
    return at.isoformat(timespec="seconds")
