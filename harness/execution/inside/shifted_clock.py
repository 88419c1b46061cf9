"""Another time of day for a whole base server: what a program reads of the clock is shifted.

For finding scenarios whose outcome depends on when they run. Python's own functions are replaced;
what C code reads for itself is not.
"""

from __future__ import annotations

import datetime
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def shift(seconds: int) -> None:
    """Let `time` and `datetime` tell a time so many seconds from now."""
    real, real_ns = time.time, time.time_ns
    localtime, gmtime, strftime = time.localtime, time.gmtime, time.strftime
    asctime = time.asctime

    def now() -> float:
        return real() + seconds

    def of(clock: Any) -> Any:
        return lambda at=None: clock(now() if at is None else at)

    replaced: dict[str, Any] = {
        "time": now,
        "time_ns": lambda: real_ns() + seconds * 1_000_000_000,
        "localtime": of(localtime),
        "gmtime": of(gmtime),
        "ctime": lambda at=None: asctime(localtime(now() if at is None else at)),
        "asctime": lambda parts=None: asctime(localtime(now()) if parts is None else parts),
        "strftime": lambda text, parts=None: strftime(text, parts or localtime(now())),
    }
    for name, function in replaced.items():
        setattr(time, name, function)
    datetime.datetime = _shifted_datetime(now)  # type: ignore[misc]
    datetime.date = _shifted_date(now)  # type: ignore[misc]


def _shifted_datetime(now: Any) -> Any:
    class ShiftedDatetime(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> Any:
            return cls.fromtimestamp(now(), tz)

        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(now())

        @classmethod
        def utcnow(cls) -> Any:
            return cls.fromtimestamp(now(), datetime.UTC).replace(tzinfo=None)

    return ShiftedDatetime


def _shifted_date(now: Any) -> Any:
    class ShiftedDate(datetime.date):
        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(now())

    return ShiftedDate
