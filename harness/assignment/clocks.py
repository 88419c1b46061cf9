"""`clock:` what time programs are told, as it is written."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from harness.assignment.document import HintedError
from harness.model.stimulus import Clock

_WRITTEN = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?(?P<offset>Z|[+-][0-9]{2}:[0-9]{2})?\Z"
)
_FIRST_YEAR = 1970  # in which computers' clocks begin


class ClockError(HintedError):
    """What is written is no time that a clock shows."""


def read_clock(text: str, time_zone: str) -> Clock:
    """The time; a date alone is its midnight. Where no offset is written, it is a time of the zone
    with this name (empty: UTC). ClockError."""
    written = _WRITTEN.match(text)
    if written is None:
        what = f"expected a date and a time, got {text!r}"
        raise ClockError(what, "write one like 2026-03-01T12:00, or a date alone for its midnight")
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        what = f"there is no {text} ({error})"
        raise ClockError(what, "write a day and a time that there are") from None
    if not _FIRST_YEAR <= time.year < datetime.max.year:
        what = f"{text} is out of what a computer's clock tells"
        raise ClockError(what, f"write a year from {_FIRST_YEAR} to {datetime.max.year - 1}")
    if not written["offset"]:
        time = _of_zone(time, ZoneInfo(time_zone or "UTC"), text, time_zone)
    offset = time.utcoffset() or timedelta()
    return Clock(seconds=int(time.timestamp()), offset=int(offset.total_seconds()))


def _of_zone(time: datetime, zone: tzinfo, text: str, name: str) -> datetime:
    """The time in the zone; ClockError for one that clocks there skip, or show twice."""
    first, second = (time.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    shown = first.astimezone(UTC).astimezone(zone)
    if shown.replace(tzinfo=None) != time:
        what = f"there is no {text} in {name}: clocks are put forward then"
        hint = f"write {shown.replace(tzinfo=None).isoformat(timespec='minutes')}"
        raise ClockError(what, hint)
    if first.utcoffset() != second.utcoffset():
        what = f"clocks in {name} show {text} twice: they are put back then"
        hint = " or ".join(each.isoformat(timespec="minutes") for each in (first, second))
        raise ClockError(what, f"write {hint}")
    return first
