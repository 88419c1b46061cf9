"""What a class is held to: when it was due, for whom later, and who should have handed in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from harness.common.csv_tables import columns_of, read_sheet, records_of
from harness.common.errors import UserError
from harness.intake.cohort.roster import Listed, read_roster
from harness.intake.cohort.times import due_time, zone_named
from harness.model.plan import Assignment


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
class Terms:
    """The same, read."""

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
    found: dict[str, Extension] = {}
    for row in records_of(sheet):
        name = row.first("id")
        if not name:
            raise UserError("there is no id", place=row.place, hint="write id,due in each line")
        due = due_time(row.first("due"), zone, row.place)
        if name in found:
            raise UserError(
                f"the id {name} is here again, after {found[name].place}",
                place=row.place,
                hint="leave one line of the two",
            )
        found[name] = Extension(id=name, due=due, place=row.place)
    return tuple(found.values())
