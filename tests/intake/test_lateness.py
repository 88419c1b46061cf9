"""What is late, by how much, and what that costs: a table with nights in which clocks change, and
what holds for any zone, any time and any rules."""

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.intake.lateness import LateTerms, after, begun, lateness
from harness.intake.terms import due_time
from harness.model.assignment import LatePolicy, Period, TimeUnit

MINUTE, HOUR, DAY = TimeUnit
TENTH = Fraction(1, 10)
TOO_LATE = None


def periods(count: int, unit: TimeUnit) -> Period:
    return Period(count=count, unit=unit)


DAILY = LatePolicy(rate=TENTH)
HOURLY = LatePolicy(rate=Fraction(1, 100), unit=HOUR)
WEEK = LatePolicy(rate=TENTH, grace=periods(15, MINUTE), until=periods(7, DAY))
HALF = LatePolicy(rate=TENTH, at_most=Fraction(1, 2))
SLIP = LatePolicy(rate=TENTH, slip_days=2)
SLIP_HOURS = LatePolicy(rate=Fraction(1, 100), unit=HOUR, slip_days=1)
ONLY_SLIP = LatePolicy(slip_days=2)
ONLY_GRACE = LatePolicy(grace=periods(1, HOUR))
ONE_DAY = LatePolicy(rate=TENTH, until=periods(1, DAY))
# The percentage and the slip days that it costs, for the rules, zone, due time and time of handing
# in, each as the clock of the zone shows it or with an offset. Berlin: on 2024-03-31 02:00 becomes
# 03:00 (+02:00), on 2024-10-27 03:00 becomes 02:00 (+01:00).
BERLIN, BRISBANE, LORD_HOWE = "Europe/Berlin", "Australia/Brisbane", "Australia/Lord_Howe"
TABLE: dict[str, tuple[LatePolicy, str, str, str, tuple[int, int] | None]] = {
    "a second": (DAILY, BRISBANE, "2024-09-24T17:00", "2024-09-24T17:00:01", (10, 0)),
    "a day": (DAILY, BRISBANE, "2024-09-24T17:00", "2024-09-25T17:00", (10, 0)),
    "a second more": (DAILY, BRISBANE, "2024-09-24T17:00", "2024-09-25T17:00:01", (20, 0)),
    "ten days": (DAILY, BRISBANE, "2024-09-24T17:00", "2024-10-04T17:00", (100, 0)),
    "never more than all": (DAILY, BRISBANE, "2024-09-24T17:00", "2025-09-24T17:00", (100, 0)),
    "never more than is said": (HALF, BRISBANE, "2024-09-24T17:00", "2024-10-04T17:00", (50, 0)),
    "in the time of grace": (WEEK, BRISBANE, "2024-09-24T17:00", "2024-09-24T17:15", (0, 0)),
    "grace is not taken off": (WEEK, BRISBANE, "2024-09-24T17:00", "2024-09-24T17:15:01", (10, 0)),
    "grace is for the due time": (WEEK, BRISBANE, "2024-09-24T17:00", "2024-09-25T17:05", (20, 0)),
    "the last moment": (WEEK, BRISBANE, "2024-09-24T17:00", "2024-10-01T17:00", (70, 0)),
    "after it": (WEEK, BRISBANE, "2024-09-24T17:00", "2024-10-01T17:00:01", TOO_LATE),
    # A day of 23 hours: 17:00 to 17:00 is one day.
    "spring, a day": (DAILY, BERLIN, "2024-03-30T17:00", "2024-03-31T17:00", (10, 0)),
    "spring, a day and more": (DAILY, BERLIN, "2024-03-30T17:00", "2024-03-31T17:00:01", (20, 0)),
    # A day of 25 hours.
    "autumn, a day": (DAILY, BERLIN, "2024-10-26T17:00", "2024-10-27T17:00", (10, 0)),
    "autumn, a day and more": (DAILY, BERLIN, "2024-10-26T17:00", "2024-10-27T17:00:01", (20, 0)),
    # By an offset alone there are no nights in which clocks change.
    "no zone": (DAILY, "", "2024-10-26T17:00+02:00", "2024-10-27T16:30+01:00", (20, 0)),
    # 02:30 comes twice: the day ends with the second.
    "the first 02:30": (DAILY, BERLIN, "2024-10-26T02:30", "2024-10-27T02:30+02:00", (10, 0)),
    "the second 02:30": (DAILY, BERLIN, "2024-10-26T02:30", "2024-10-27T02:30+01:00", (10, 0)),
    "after both": (DAILY, BERLIN, "2024-10-26T02:30", "2024-10-27T02:30:01+01:00", (20, 0)),
    # 02:30 never comes: the day ends at 03:30 summer time.
    "no 02:30": (DAILY, BERLIN, "2024-03-30T02:30", "2024-03-31T03:30", (10, 0)),
    "after where it was": (DAILY, BERLIN, "2024-03-30T02:30", "2024-03-31T03:30:01", (20, 0)),
    "two days over it": (DAILY, BERLIN, "2024-03-30T02:30", "2024-04-01T02:30", (20, 0)),
    "half an hour of summer time": (
        *(DAILY, LORD_HOWE, "2024-10-05T12:00", "2024-10-06T12:00", (10, 0)),
    ),
    # The limit is a day by the clock too.
    "a limit of 25 hours": (ONE_DAY, BERLIN, "2024-10-26T17:00", "2024-10-27T17:00", (10, 0)),
    "a limit of 23 hours": (ONE_DAY, BERLIN, "2024-03-30T17:00", "2024-03-31T17:00:01", TOO_LATE),
    # Hours pass whatever a clock shows.
    "hours": (HOURLY, BRISBANE, "2024-09-24T17:00", "2024-09-24T19:00:01", (3, 0)),
    "hours of spring": (HOURLY, BERLIN, "2024-03-31T01:00", "2024-03-31T04:00", (2, 0)),
    "hours of autumn": (HOURLY, BERLIN, "2024-10-27T01:00", "2024-10-27T04:00", (4, 0)),
    "slip days": (SLIP, BRISBANE, "2024-09-24T17:00", "2024-09-26T17:00", (0, 2)),
    "the first two of three": (SLIP, BRISBANE, "2024-09-24T17:00", "2024-09-26T17:00:01", (10, 2)),
    "a slip day of 25 hours": (SLIP, BERLIN, "2024-10-26T17:00", "2024-10-27T17:00", (0, 1)),
    "hours after a slip day": (
        *(SLIP_HOURS, BERLIN, "2024-10-26T17:00", "2024-10-27T18:30", (2, 1)),
    ),
    "slip days alone": (ONLY_SLIP, BRISBANE, "2024-09-24T17:00", "2024-09-26T17:00", (0, 2)),
    "and none left": (ONLY_SLIP, BRISBANE, "2024-09-24T17:00", "2024-09-26T17:00:01", TOO_LATE),
    "grace alone": (ONLY_GRACE, BRISBANE, "2024-09-24T17:00", "2024-09-24T18:00", (0, 0)),
    "after it alone": (ONLY_GRACE, BRISBANE, "2024-09-24T17:00", "2024-09-24T18:00:01", TOO_LATE),
}


@pytest.mark.parametrize(("policy", "zone", "due", "at", "cost"), TABLE.values(), ids=TABLE)
def test_lateness_costs_what_the_policy_states(
    policy: LatePolicy, zone: str, due: str, at: str, cost: tuple[int, int] | None
) -> None:
    place = ZoneInfo(zone) if zone else None
    terms = LateTerms(policy=policy, zone=place, slip_days=policy.slip_days)
    found = lateness(due_time(at, place, ""), due_time(due, place, ""), terms)
    assert (found and (found.share * 100, found.slip_days)) == cost


ZONES = st.sampled_from(
    [BERLIN, LORD_HOWE, "America/St_Johns", "Africa/Casablanca", "Pacific/Chatham", "UTC"]
).map(ZoneInfo)
DUES = st.datetimes(datetime(1971, 1, 1), datetime(2037, 1, 1), timezones=ZONES).map(
    lambda at: at.replace(microsecond=0)
)
LATE_BY = st.integers(1, 400 * 86_400).map(lambda seconds: timedelta(seconds=seconds))
RATES = st.fractions(Fraction(1, 1000), 1, max_denominator=1000)
PERIODS = st.builds(periods, st.integers(1, 400), st.sampled_from(TimeUnit))
POLICIES = st.builds(
    LatePolicy,
    rate=st.just(Fraction(0)) | RATES,
    unit=st.sampled_from([DAY, HOUR]),
    at_most=RATES,
    grace=st.none() | PERIODS,
    until=st.none() | PERIODS,
)


@given(due=DUES, late_by=LATE_BY, unit=st.sampled_from([DAY, HOUR]))
def test_a_begun_period_is_not_over(due: datetime, late_by: timedelta, unit: TimeUnit) -> None:
    zone = due.tzinfo
    assert isinstance(zone, ZoneInfo)
    at = due.astimezone(UTC) + late_by
    count = begun(due, at, unit, zone)
    before = after(due, periods(count - 1, unit), zone)
    assert before < at <= after(due, periods(count, unit), zone)
    if unit is HOUR:
        assert count == -(-late_by // timedelta(hours=1))


@given(due=DUES, count=st.integers(1, 400))
def test_a_day_ends_at_the_due_times_clock_time_or_an_hour_later(due: datetime, count: int) -> None:
    zone = due.tzinfo
    assert isinstance(zone, ZoneInfo)
    end = after(due, periods(count, DAY), zone).astimezone(zone)
    same = due.replace(tzinfo=None) + timedelta(days=count)
    skipped = end.replace(tzinfo=None) - same
    assert skipped == timedelta() or (
        timedelta() < skipped <= timedelta(hours=1)
        and same.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None) != same
    )


@given(
    due=DUES,
    late_by=st.lists(LATE_BY, min_size=2, max_size=2).map(sorted),
    policy=POLICIES,
    slip_days=st.lists(st.integers(0, 10), min_size=2, max_size=2).map(sorted),
)
def test_later_never_costs_less_and_slip_days_never_cost_more(
    due: datetime, late_by: list[timedelta], policy: LatePolicy, slip_days: list[int]
) -> None:
    zone = due.tzinfo
    assert isinstance(zone, ZoneInfo)

    def share(by: timedelta, left: int) -> Fraction:
        terms = LateTerms(policy=policy, zone=zone, slip_days=left)
        found = lateness(due.astimezone(UTC) + by, due, terms)
        if found is None:
            return Fraction(2)  # worse than losing all of it
        assert found.slip_days <= left
        assert 0 <= found.share <= policy.at_most
        return found.share

    (sooner, later), (few, more) = late_by, slip_days
    assert share(sooner, few) <= share(later, few)
    assert share(sooner, more) <= share(sooner, few)
