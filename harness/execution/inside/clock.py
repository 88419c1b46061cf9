"""Sets the time that a program sees (a fixed time, or the real time shifted) and how it sleeps.

The functions of `time` are replaced by ours. The classes of `datetime` stay the same objects,
because programs may compare classes: only their methods that read the clock are replaced, in the
classes' dictionaries. Monotonic clocks go on as usual; skipped sleeps and other skipped waits move
them forward. Times that C code reads itself are not replaced: times of files, SQL's
`CURRENT_TIMESTAMP`.
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
    """Fix the time that programs read to `seconds` since 1970, in a time zone `offset` seconds
    east of UTC. The program's sleeps move this clock forward, as in `skip_sleep`.
    """
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
    """Make `time.sleep` and other waits return at once and move the clocks forward by the same
    time, while nothing else of the program is running (such as a thread).
    """
    import time  # noqa: PLC0415

    real = time.time_ns
    count_sleep(slept)
    _replace_clock(lambda: real() + slept.skipped)
    _replace_monotonic_clocks(slept)
    skip_waits(slept, waits)


_MOVED_CLOCKS = ("CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW", "CLOCK_BOOTTIME")


def _replace_monotonic_clocks(slept: Slept) -> None:
    """Add the skipped waits to monotonic clocks."""
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
    """Shift the time that programs read by so many seconds, to find results that depend on the
    time.
    """
    import time  # noqa: PLC0415

    real = time.time_ns
    _replace_clock(lambda: real() + seconds * NANO)


def _zone(offset: int) -> str:
    """Return the name of a time zone for the variable TZ.

    POSIX writes the opposite sign: ten hours east of UTC is `<+10>-10`.
    """
    if not offset:
        return "UTC0"
    hours, minutes = divmod(abs(offset) // 60, 60)
    east, west = "+-" if offset > 0 else "-+"
    name = f"{hours:02}{minutes:02}" if minutes else f"{hours:02}"
    return f"<{east}{name}>{west}{hours}:{minutes:02}"


def _replace_clock(now: Callable[[], int]) -> None:
    """Make `time` and `datetime` read the clock `now`, a function that returns nanoseconds since
    1970.
    """
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
