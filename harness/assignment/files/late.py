"""`late:` in assignment.yaml: work after the due time."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, WithJsonSchema, model_validator

from harness.assignment.shapes import Expects, Percent, Shape, wrong
from harness.matchers.reading import describe
from harness.model.assignment import LateOf, LatePolicy, Period, TimeUnit

_PERIOD = r"^([0-9]{1,4}) ?(min|minutes?|h|hours?|days?)$"
_UNITS = {"m": (TimeUnit.MINUTE, 24 * 60), "h": (TimeUnit.HOUR, 24), "d": (TimeUnit.DAY, 1)}
_MAX_DAYS = 366


def _period(value: Any) -> Period:
    written: re.Match[str] | None = None
    if isinstance(value, str):
        written = re.fullmatch(_PERIOD, value)
    if written:
        unit, in_a_day = _UNITS[written[2][0]]
        count = int(written[1])
        if 0 < count <= _MAX_DAYS * in_a_day:
            return Period(count=count, unit=unit)
        raise wrong(f"expected a time up to {_MAX_DAYS} days, got {value}", instead="7 days")
    got = describe(value)
    what = f"expected a time like 15 min, 12 hours or 7 days, got {got}"
    raise wrong(what, instead="7 days")


PeriodText = Annotated[
    Period,
    PlainValidator(_period),
    WithJsonSchema({"type": "string", "pattern": _PERIOD, "examples": ["15 min", "7 days"]}),
]


class LateShape(Shape):
    """`late:` accept work after the due time, and the deduction for it."""

    per_day: Percent | None = None
    """The cost of each day begun after the due time, like 10%."""
    per_hour: Percent | None = None
    """The cost of each hour begun after the due time, instead of per_day."""
    of: Literal["total", "reached"] = "total"
    """The base of percentages: the assignment's maximum, or the marks reached."""
    at_most: Percent = Field(Fraction(1), json_schema_extra={"default": "100%"})
    """The largest deduction for lateness, as a percentage of the same base."""
    grace: PeriodText | None = None
    """Time after the due time that does not count as late, like 15 min."""
    until: PeriodText | None = None
    """How long after the due time work is still graded, like 7 days."""
    slip_days: Annotated[
        int, Field(ge=0, le=_MAX_DAYS), Expects(f"a whole number up to {_MAX_DAYS}", instead=0)
    ] = 0
    """Free late days for each student, in all assignments of the course together."""
    attempt: Literal["in_time", "latest"] = "in_time"
    """The submission to grade if a student handed in both in time and late."""

    @model_validator(mode="after")
    def _costs_something(self) -> LateShape:
        has_rate = self.per_day or self.per_hour
        spare: list[str] = []
        if not has_rate:
            spare = [key for key in ("of", "at_most") if key in self.model_fields_set]
        if self.per_day and self.per_hour:
            what = "per_day and per_hour are both here"
            hint = "leave one of them out"
        elif not (has_rate or self.slip_days or self.grace):
            what = "expected per_day, per_hour, grace or slip_days"
            hint = "write {per_day: 10%}"
        elif spare:
            what = f"{spare[0]} needs per_day or per_hour"
            hint = f"add one of them, or remove {spare[0]}"
        else:
            return self
        raise wrong(what, hint, instead={"per_day": "10%"})

    def policy(self) -> LatePolicy:
        rate = self.per_day or self.per_hour or Fraction(0)
        unit = TimeUnit.DAY if self.per_hour is None else TimeUnit.HOUR
        return LatePolicy(
            rate=rate,
            unit=unit,
            of=LateOf(self.of),
            at_most=self.at_most,
            grace=self.grace,
            until=self.until,
            slip_days=self.slip_days,
            latest=self.attempt == "latest",
        )
