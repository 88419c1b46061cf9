"""Times of handing in against times due. Inside, everything is compared in UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from harness.common.errors import UserError

_ZONE_HINT = "write it as 2024-09-24T17:00+10:00, or name a --time-zone"
_EARLIER, _LATER = 0, 1


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
