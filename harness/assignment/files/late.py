"""`late:` in assignment.yaml: what becomes of what is handed in after the due time."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, WithJsonSchema, model_validator

from harness.assignment.shapes import Expects, Shape, wrong
from harness.matchers.reading import describe
from harness.model.assignment import LateOf, LatePolicy, Period, TimeUnit

_PERCENT = r"^[0-9]{1,3}(\.[0-9]{1,2})? ?%$"
_PERIOD = r"^([0-9]{1,4}) ?(min|minutes?|h|hours?|days?)$"
_UNITS = {"m": TimeUnit.MINUTE, "h": TimeUnit.HOUR, "d": TimeUnit.DAY}
_MOST_DAYS = 366


def _percent(value: Any) -> Fraction:
    if isinstance(value, str) and re.fullmatch(_PERCENT, value):
        share = Fraction(value.rstrip("% ")) / 100
        if 0 < share <= 1:
            return share
    what = f"expected a percentage above 0 like 10%, up to 100%, got {describe(value)}"
    raise wrong(what, instead="10%")


def _period(value: Any) -> Period:
    if isinstance(value, str) and (written := re.fullmatch(_PERIOD, value)):
        period = Period(count=int(written[1]), unit=_UNITS[written[2][0]])
        in_a_day = {TimeUnit.MINUTE: 24 * 60, TimeUnit.HOUR: 24, TimeUnit.DAY: 1}[period.unit]
        if 0 < period.count <= _MOST_DAYS * in_a_day:
            return period
        raise wrong(f"expected a time up to {_MOST_DAYS} days, got {value}", instead="7 days")
    what = f"expected a time like 15 min, 12 hours or 7 days, got {describe(value)}"
    raise wrong(what, instead="7 days")


Percent = Annotated[
    Fraction,
    PlainValidator(_percent),
    WithJsonSchema({"type": "string", "pattern": _PERCENT, "examples": ["10%"]}),
]
PeriodText = Annotated[
    Period,
    PlainValidator(_period),
    WithJsonSchema({"type": "string", "pattern": _PERIOD, "examples": ["15 min", "7 days"]}),
]


class LateShape(Shape):
    """`late:` what is handed in after the due time and graded all the same, and what that costs."""

    per_day: Percent | None = None
    """What each day begun after the due time costs, like 10%."""
    per_hour: Percent | None = None
    """The same for each hour begun, in place of per_day."""
    of: Literal["total", "reached"] = "total"
    """What the percentages are of: what the total is out of, or the marks reached."""
    at_most: Percent = Field(Fraction(1), json_schema_extra={"default": "100%"})
    """The most that lateness takes of that."""
    grace: PeriodText | None = None
    """How long after the due time something is not late yet, like 15 min."""
    until: PeriodText | None = None
    """How long after the due time something is graded at all, like 7 days."""
    slip_days: Annotated[
        int, Field(ge=0, le=_MOST_DAYS), Expects(f"a whole number up to {_MOST_DAYS}", instead=0)
    ] = 0
    """Late days that cost a student nothing, in all assignments of the course together."""
    attempt: Literal["in_time", "latest"] = "in_time"
    """What is graded of a student who handed in both in time and late."""

    @model_validator(mode="after")
    def _costs_something(self) -> LateShape:
        if self.per_day is not None and self.per_hour is not None:
            what, hint = "per_day and per_hour are both here", "leave one of them out"
            raise wrong(what, hint, instead={"per_day": "10%"})
        has_rate = self.per_day is not None or self.per_hour is not None
        if not (has_rate or self.slip_days or self.grace):
            what, hint = "expected per_day, per_hour, grace or slip_days", "write {per_day: 10%}"
            raise wrong(what, hint, instead={"per_day": "10%"})
        for key in ("of", "at_most") if not has_rate else ():
            if key in self.model_fields_set:
                what = f"{key} is about per_day or per_hour, and there is neither"
                raise wrong(what, f"add one, or leave {key} out", instead={"per_day": "10%"})
        return self

    def policy(self) -> LatePolicy:
        """What the grading holds a class to."""
        return LatePolicy(
            rate=self.per_day or self.per_hour or Fraction(0),
            unit=TimeUnit.DAY if self.per_hour is None else TimeUnit.HOUR,
            of=LateOf(self.of),
            at_most=self.at_most,
            grace=self.grace,
            until=self.until,
            slip_days=self.slip_days,
            latest=self.attempt == "latest",
        )
