"""Read the options about a class: when it was due, later due times, and the list of students.

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

# The first of these columns that a file has is the id of its students. They are found by all of
# them.
ID_COLUMNS = (
    *("id", "identifier", "canvas user id", "sid", "username", "user name", "orgdefinedid"),
    *("student id", "student number", "user id", "sis user id", "sis login id", "login id"),
    *EMAILS,
)
SLIP_DAYS = "slip days"
# The table of marks in a report folder.
_REPORT = "marks.csv"
# Digits of a number of slip days.
_MAX_DIGITS = 4
_GROUPS = ("group", "group name")
_ZONE_HINT = "write it as 2024-09-24T17:00+10:00, or name a --time-zone"
_EARLIER, _LATER = 0, 1
# Python can add days and any zone's offset to a time in these years.
_YEARS = range(1970, 9000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassOptions:
    """The user's options, as they were written."""

    # None to recognise the layout.
    layout: str | None = None
    due: str | None = None
    time_zone: str | None = None
    extensions: Path | None = None
    roster: Path | None = None
    slip_days: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SlipDays:
    """The slip days that a student used in another assignment."""

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
    # The terms of a student who has used no slip days.
    late: LateTerms | None = None
    slip_days: tuple[SlipDays, ...] = ()


def read_terms(asked: ClassOptions, assignment: Assignment) -> Terms:
    """Read the options.

    Raise UserError for files that cannot be read and options that do not go together.
    """
    zone = _zone(asked, assignment)
    due = None
    if asked.due:
        due = due_time(asked.due, zone, "--due")
    if asked.extensions is not None and due is None:
        problem = "extensions need a due time, and there is none"
        raise UserError(problem, place="--extensions", hint="add --due")
    late = None
    if assignment.late is not None and due is not None:
        policy = assignment.late
        late = LateTerms(policy=policy, zone=zone, slip_days=policy.slip_days)
    if asked.slip_days and (late is None or not late.slip_days):
        hint = "add --due, and to assignment.yaml late: {slip_days: 4}"
        raise UserError("this assignment allows no slip days", place="--slip-days", hint=hint)
    extensions = _extensions(asked.extensions, zone) if asked.extensions else ()
    roster = read_roster(asked.roster, zone) if asked.roster else None
    slip_days: list[SlipDays] = []
    for path in asked.slip_days:
        slip_days += _slip_days(path)
    return Terms(
        zone=zone,
        due=due,
        extensions=extensions,
        roster=roster,
        roster_place=str(asked.roster or ""),
        late=late,
        slip_days=tuple(slip_days),
    )


def _zone(asked: ClassOptions, assignment: Assignment) -> ZoneInfo | None:
    """Return the course's time zone, if there is one. Raise UserError if its name is not known."""
    name = asked.time_zone or assignment.time_zone
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        place = "--time-zone" if asked.time_zone else "time_zone of the assignment"
        problem = f"unknown time zone {name!r}"
        raise UserError(problem, place=place, hint=zone_hint()) from None


def _extensions(path: Path, zone: ZoneInfo | None) -> tuple[Extension, ...]:
    sheet = read_sheet(path)
    for column in ("id", "due"):
        if sheet.column(column) is None:
            hint = "begin with a line id,due"
            raise UserError(f"the column {column} is missing", place=f"{path}:1", hint=hint)
    by_id: dict[str, Extension] = {}
    for row in sheet.records:
        name = row.first("id")
        if not name:
            raise UserError("the id is missing", place=row.place, hint="write id,due in each line")
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
        hint = f"begin with a line id,{SLIP_DAYS}"
        if path.is_dir():
            hint = "leave it out: its assignment has no slip days"
        raise UserError(f"the column {SLIP_DAYS} is missing", place=f"{sheet.place}:1", hint=hint)
    for row in sheet.records:
        ids = row.every("id", "student", "email")
        text = row.first(SLIP_DAYS) or "0"
        if not ids:
            hint = f"write id,{SLIP_DAYS} in each line"
            raise UserError("the id is missing", place=row.place, hint=hint)
        is_number = text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS
        if not is_number:
            problem = f"{text!r} is not a number of days"
            raise UserError(problem, place=row.place, hint="write a whole number")
        yield SlipDays(id=ids[0], keys=id_keys(ids), count=int(text), place=row.place)


def read_roster(path: Path, zone: ZoneInfo | None) -> tuple[Listed, ...]:
    """Return all students on the roster.

    Raise UserError if it has no column of ids, a student without an id, an id listed twice, a time
    that cannot be read, or no student.
    """
    sheet = read_sheet(path)
    is_moodles = sheet.column(*ID_COLUMNS) is None
    sheet = worksheet_in_english(sheet, is_moodles=is_moodles) or sheet
    sheet = in_english(sheet, ID_COLUMNS)
    if sheet.column(*ID_COLUMNS) is None:
        hint = "call one of the columns ID, SID, Username or Email"
        raise UserError("a column of ids is missing", place=f"{path}:1", hint=hint)
    listed: dict[str, Listed] = {}
    for row in sheet.records:
        line = _student_listed(row, zone)
        if line is not None:
            key = id_key(line.student.id)
            _check_new(line.student.id, row.place, listed.get(key))
            listed[key] = line
    if not listed:
        raise UserError("this list contains no students", place=str(path))
    return tuple(listed.values())


def _check_new(name: str, place: str, earlier: Extension | Listed | None) -> None:
    if earlier is not None:
        problem = f"the id {name} is repeated here, after {earlier.place}"
        raise UserError(problem, place=place, hint="keep only one of the two lines")


def _student_listed(row: Record, zone: ZoneInfo | None) -> Listed | None:
    """Return the student of a row; None if it is about nobody. Raise UserError if it has a name
    without an id, or a time that cannot be read."""
    person = person_in(row, ID_COLUMNS)
    if person is None:
        return None
    if not person.ids:
        if not person.name:
            return None
        name = clean_name(person.name)
        raise UserError(f"the id of {name} is missing", place=row.place, hint="write one")
    text = row.first(*TIMES)
    handed_in = None
    if text not in ("", "-"):
        handed_in = in_zone(_time(text, row.place), zone)
    listed_student = student(person.ids[0], person.name, row.first(*EMAILS))
    return Listed(
        student=listed_student,
        person=replace(person, name=listed_student.name),
        group=id_key(row.first(*_GROUPS)),
        handed_in=handed_in,
        place=row.place,
    )


def _time(text: str, place: str) -> datetime:
    at = time_in(text)
    if at is not None and at.year in _YEARS:
        return at
    hint = "write it as 2024-09-24T17:00+10:00"
    raise UserError(f"{text!r} is not a time that can be read", place=place, hint=hint)


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
        raise UserError(f"{text!r} has no time zone", place=place, hint=_ZONE_HINT)
    due = in_zone(at, zone, fold=_LATER)
    shown_by_clock = instant(due).astimezone(due.tzinfo)
    if shown_by_clock.replace(tzinfo=None) != at.replace(tzinfo=None):
        problem = f"{text!r} does not exist in {zone}: the clocks are put forward then"
        hint = "write the time an hour later, or with its offset"
        raise UserError(problem, place=place, hint=hint)
    return due


def in_zone(at: datetime, zone: ZoneInfo | None, *, fold: int = _EARLIER) -> datetime:
    """Return a naive time as shown by the zone's clock.

    If an autumn night has this clock time twice, it means the earlier one, so that nobody is late
    by it. If the time has a zone, or `zone` is None, it does not change.
    """
    if at.tzinfo or not zone:
        return at
    return at.replace(tzinfo=zone, fold=fold)


def instant(at: datetime) -> datetime:
    """Return the time in UTC for comparing: within one zone Python compares clocks.

    A naive time is taken as UTC, which keeps the order among naive ones.
    """
    if at.tzinfo is None:
        return at.replace(tzinfo=UTC)
    return at.astimezone(UTC)


def iso_time(at: datetime) -> str:
    """Return the time in ISO 8601 to the second, with the offset if it has one."""
    return at.isoformat(timespec="seconds")
