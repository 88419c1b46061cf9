"""Computes how late something is, by a course's rules: grace, slip days, begun units, and a final
limit.

Hours and minutes pass; a day ends at the clock time of the due time in the course's zone, even if
clocks change in between. If such a night has a clock time twice, the second one counts; if it
leaves one out, the one an hour later counts, so that nobody is late by it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from harness.model.assignment import LatePolicy, Period, TimeUnit
from harness.model.submission import Lateness


@dataclass(frozen=True, slots=True, kw_only=True)
class LateTerms:
    """The rules for a student who is late."""

    policy: LatePolicy
    # The time zone of the course's days; None for that of the due time.
    zone: ZoneInfo | None = None
    # The slip days that are left.
    slip_days: int = 0


def lateness(at: datetime, due: datetime, terms: LateTerms) -> Lateness | None:
    """Return the lateness of a hand-in at a time after `due`, both with a zone; None if it is too
    late to be graded.
    """
    policy = terms.policy
    shown = due.isoformat(timespec="seconds")
    if policy.grace is not None and at <= after(due, policy.grace, terms.zone):
        return Lateness(due=shown)
    if policy.until is not None and at > after(due, policy.until, terms.zone):
        return None
    days = begun(due, at, TimeUnit.DAY, terms.zone)
    slip_days = min(days, terms.slip_days)
    if slip_days == days:
        return Lateness(due=shown, slip_days=slip_days)
    if not policy.rate:
        return None
    count = days - slip_days
    if policy.unit is TimeUnit.HOUR:
        free = Period(count=slip_days, unit=TimeUnit.DAY)
        count = begun(after(due, free, terms.zone), at, TimeUnit.HOUR, terms.zone)
    late = Period(count=count, unit=policy.unit)
    share = min(policy.at_most, policy.rate * count)
    return Lateness(due=shown, begun=late, slip_days=slip_days, share=share, of=policy.of)


def begun(due: datetime, at: datetime, unit: TimeUnit, zone: ZoneInfo | None) -> int:
    """Return how many of these units had begun at `at`, which is after `due`. The last one may
    not be over."""
    length = timedelta(**{f"{unit}s": 1})
    count = max(1, (at.astimezone(UTC) - due.astimezone(UTC)) // length - 1)
    while after(due, Period(count=count, unit=unit), zone) < at:
        count += 1
    return count


def after(due: datetime, period: Period, zone: ZoneInfo | None) -> datetime:
    """Return when a period that begins at `due` is over, in UTC."""
    length = timedelta(**{f"{period.unit}s": period.count})
    if period.unit is not TimeUnit.DAY or not length:
        return due.astimezone(UTC) + length
    clock = due
    if zone:
        clock = due.astimezone(zone)
    same_clock = clock.replace(tzinfo=None) + length
    first = same_clock.replace(tzinfo=clock.tzinfo, fold=0).astimezone(UTC)
    second = same_clock.replace(tzinfo=clock.tzinfo, fold=1).astimezone(UTC)
    return max(first, second)
