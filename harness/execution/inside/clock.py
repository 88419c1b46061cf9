"""Decides which time a program sees (a fixed one, or the real one moved) and how it sleeps.

`time` gets functions of ours. The classes of `datetime` stay themselves, so that every object has
the class that a program knows: only the methods that read the clock are replaced, in the classes'
own dictionaries, and a program could notice nothing else. Monotonic clocks run on; only sleeps and
other timed waits that nobody waits for move them. Times that C code reads for itself are not
replaced: times of files, SQL's `CURRENT_TIMESTAMP`.
"""

from __future__ import annotations

import sys
from os import environ

from .replacing import forget_methods, put_class_method, put_function
from .waits import NANO, Slept, count_sleep, skip_waits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .waits import Waits


def stand_still(
    seconds: int, offset: int, slept: Slept | None = None, waits: Waits | None = None
) -> None:
    """Let programs read this time, in seconds since 1970, and live in a zone so many seconds east
    of UTC. The clock moves on by the program's sleeps, as in `skip_sleep`."""
    import time  # noqa: PLC0415  (only then is it worth its memory)

    if hasattr(time, "tzset"):
        environ["TZ"] = _zone(offset)
        time.tzset()
    else:  # Windows keeps its zone: let the time be right that it shows there
        seconds = int(time.mktime((*time.gmtime(seconds + offset)[:8], -1)))
    counted = Slept() if slept is None else slept
    count_sleep(counted)
    _replace_clock(lambda: seconds * NANO + counted.told)
    if waits is not None:
        _replace_monotonic_clocks(counted)
        skip_waits(counted, waits)


def skip_sleep(slept: Slept, waits: Waits) -> None:
    """Let `time.sleep` and other waits return at once, and move the clocks on by as much, as long
    as nothing goes on meanwhile."""
    import time  # noqa: PLC0415

    real = time.time_ns
    count_sleep(slept)
    _replace_clock(lambda: real() + slept.skipped)
    _replace_monotonic_clocks(slept)
    skip_waits(slept, waits)


_MOVED_CLOCKS = ("CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW", "CLOCK_BOOTTIME")


def _replace_monotonic_clocks(slept: Slept) -> None:
    """Let monotonic clocks include the skipped waits."""
    real = dict(vars(sys.modules["time"]))

    def monotonic() -> float:
        return monotonic_ns() / NANO

    def monotonic_ns() -> int:
        return int(real["monotonic_ns"]()) + slept.skipped

    def perf_counter() -> float:
        return perf_counter_ns() / NANO

    def perf_counter_ns() -> int:
        return int(real["perf_counter_ns"]()) + slept.skipped

    for function in (monotonic, monotonic_ns, perf_counter, perf_counter_ns):
        put_function(function)
    if moved := [real[name] for name in _MOVED_CLOCKS if name in real]:

        def clock_gettime(clock: int, /) -> float:
            seconds: float = real["clock_gettime"](clock)
            return seconds + slept.skipped / NANO if clock in moved else seconds

        def clock_gettime_ns(clock: int, /) -> int:
            nanoseconds: int = real["clock_gettime_ns"](clock)
            return nanoseconds + slept.skipped if clock in moved else nanoseconds

        put_function(clock_gettime)
        put_function(clock_gettime_ns)


def move(seconds: int) -> None:
    """Move the programs' time by so many seconds, to find outcomes that depend on it."""
    import time  # noqa: PLC0415

    real = time.time_ns
    _replace_clock(lambda: real() + seconds * NANO)


def _zone(offset: int) -> str:
    """Return a fixed offset as POSIX writes a zone, with the opposite sign: `<+10>-10`."""
    if not offset:
        return "UTC0"
    hours, minutes = divmod(abs(offset) // 60, 60)
    east, west = "+-" if offset > 0 else "-+"
    name = f"{hours:02}{minutes:02}" if minutes else f"{hours:02}"
    return f"<{east}{name}>{west}{hours}:{minutes:02}"


def _replace_clock(now: Callable[[], int]) -> None:
    """Let `time` and `datetime` read the time of `now`, in nanoseconds since 1970."""
    import datetime  # noqa: PLC0415

    for function in _functions_of_time(now):
        put_function(function)
    utc = datetime.timezone.utc  # noqa: UP017  (Python 3.10 has no other)

    def today(cls: Any) -> Any:
        return cls.fromtimestamp(now() / NANO)

    def datetime_now(cls: Any, tz: Any = None) -> Any:
        return cls.fromtimestamp(now() / NANO, tz)

    def utcnow(cls: Any) -> Any:
        return cls.fromtimestamp(now() / NANO, utc).replace(tzinfo=None)

    datetime_now.__name__ = "now"
    put_class_method(datetime.date, today)
    put_class_method(datetime.datetime, datetime_now)
    put_class_method(datetime.datetime, utcnow)
    forget_methods()


def _functions_of_time(now: Callable[[], int]) -> tuple[Callable[..., Any], ...]:
    """Return the replacements for the functions of `time` that read the time of day."""
    real = dict(vars(sys.modules["time"]))

    def time() -> float:
        return now() / NANO

    def time_ns() -> int:
        return now()

    def localtime(seconds: float | None = None, /) -> Any:
        return real["localtime"](time() if seconds is None else seconds)

    def gmtime(seconds: float | None = None, /) -> Any:
        return real["gmtime"](time() if seconds is None else seconds)

    def ctime(seconds: float | None = None, /) -> Any:
        return real["asctime"](localtime(seconds))

    def asctime() -> Any:
        return real["asctime"](localtime())

    def strftime(form: str, /) -> Any:
        return real["strftime"](form, localtime())

    functions = (time, time_ns, localtime, gmtime, ctime, asctime, strftime)
    if "clock_gettime" not in real:
        return functions

    def clock_gettime(clock: int, /) -> float:
        return time() if clock == real["CLOCK_REALTIME"] else real["clock_gettime"](clock)

    def clock_gettime_ns(clock: int, /) -> int:
        return now() if clock == real["CLOCK_REALTIME"] else real["clock_gettime_ns"](clock)

    return (*functions, clock_gettime, clock_gettime_ns)
