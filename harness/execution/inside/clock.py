"""What time a program is told: one that stands still, or the real one moved.

`time` gets functions of ours. The classes of `datetime` stay themselves, so that every object is of
the class that a program knows: their methods that read the clock are put into the classes' own
dictionaries, which is all that a program could notice. Monotonic clocks are left alone, and so is
what C code reads for itself: times of files, SQL's `CURRENT_TIMESTAMP`.
"""

from __future__ import annotations

import gc
import sys
from os import environ

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_NANO = 1_000_000_000
# A class's cache of methods does not count a reference: what was in the class must live on.
_replaced: list[object] = []


def stand_still(seconds: int, offset: int) -> None:
    """Let programs read this time, in seconds since 1970, and live in a zone so many seconds east
    of UTC. The clock moves on by what the program sleeps."""
    import time  # noqa: PLC0415  (only then is it worth its memory)

    if hasattr(time, "tzset"):
        environ["TZ"] = _zone(offset)
        time.tzset()
    else:  # Windows keeps its zone: let the time be right that it shows there
        seconds = int(time.mktime((*time.gmtime(seconds + offset)[:8], -1)))
    real_sleep = time.sleep
    nanoseconds = seconds * _NANO

    def sleep(length: float, /) -> None:
        nonlocal nanoseconds
        real_sleep(length)
        nanoseconds += int(length * _NANO)

    time.sleep = sleep  # type: ignore[assignment]
    _tell(lambda: nanoseconds)


def move(seconds: int) -> None:
    """Let programs read a time so many seconds from now, for finding scenarios whose outcome
    depends on when they run."""
    import time  # noqa: PLC0415

    real = time.time_ns
    _tell(lambda: real() + seconds * _NANO)


def _zone(offset: int) -> str:
    """A fixed offset as POSIX writes a zone, with its sign the other way round: `<+10>-10`."""
    if not offset:
        return "UTC0"
    hours, minutes = divmod(abs(offset) // 60, 60)
    east, west = "+-" if offset > 0 else "-+"
    name = f"{hours:02}{minutes:02}" if minutes else f"{hours:02}"
    return f"<{east}{name}>{west}{hours}:{minutes:02}"


def _tell(now: Callable[[], int]) -> None:
    """Let `time` and `datetime` read the time of `now`, in nanoseconds since 1970."""
    import datetime  # noqa: PLC0415
    import time  # noqa: PLC0415

    for function in _of_time(now):
        setattr(time, function.__name__, function)
    utc = datetime.timezone.utc  # noqa: UP017  (Python 3.10 has no other)

    def today(cls: Any) -> Any:
        return cls.fromtimestamp(now() / _NANO)

    def datetime_now(cls: Any, tz: Any = None) -> Any:
        return cls.fromtimestamp(now() / _NANO, tz)

    def utcnow(cls: Any) -> Any:
        return cls.fromtimestamp(now() / _NANO, utc).replace(tzinfo=None)

    datetime_now.__name__ = "now"
    _put(datetime.date, today)
    _put(datetime.datetime, datetime_now)
    _put(datetime.datetime, utcnow)
    clear = getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache
    clear()


def _put(kind: type, method: Any) -> None:
    """Put a class method into a class that takes no attributes."""
    space = gc.get_referents(kind.__dict__)[0]
    _replaced.append(space[method.__name__])
    space[method.__name__] = classmethod(method)


def _of_time(now: Callable[[], int]) -> tuple[Callable[..., Any], ...]:
    """What takes the place of the functions of `time` that read the time of day."""
    import time as real_time  # noqa: PLC0415

    real = dict(vars(real_time))

    def time() -> float:
        return now() / _NANO

    def time_ns() -> int:
        return now()

    def localtime(seconds: float | None = None, /) -> Any:
        return real["localtime"](time() if seconds is None else seconds)

    def gmtime(seconds: float | None = None, /) -> Any:
        return real["gmtime"](time() if seconds is None else seconds)

    def ctime(seconds: float | None = None, /) -> str:
        return asctime(localtime(seconds))

    def asctime(parts: Any = None, /) -> str:
        text: str = real["asctime"](localtime() if parts is None else parts)
        return text

    def strftime(form: str, parts: Any = None, /) -> str:
        text: str = real["strftime"](form, localtime() if parts is None else parts)
        return text

    functions = (time, time_ns, localtime, gmtime, ctime, asctime, strftime)
    if "clock_gettime" not in real:
        return functions

    def clock_gettime(clock: int, /) -> float:
        return time() if clock == real["CLOCK_REALTIME"] else real["clock_gettime"](clock)

    def clock_gettime_ns(clock: int, /) -> int:
        return now() if clock == real["CLOCK_REALTIME"] else real["clock_gettime_ns"](clock)

    return (*functions, clock_gettime, clock_gettime_ns)
