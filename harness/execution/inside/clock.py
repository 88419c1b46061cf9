"""Decides which time a program is told (a fixed one, or the real one moved) and how it sleeps.

`time` gets functions of ours. The classes of `datetime` stay themselves, so that every object has
the class that a program knows: only the methods that read the clock are replaced, in the classes'
own dictionaries, and a program could notice nothing else. Monotonic clocks run on; only sleeps and
other timed waits that nobody waits for move them. Times that C code reads for itself are not
replaced: times of files, SQL's `CURRENT_TIMESTAMP`.
"""

from __future__ import annotations

import gc
import sys
from os import environ

from .messages.codec import like_built_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

_NANO = 1_000_000_000
# A class's cache of methods does not count a reference: the replaced method must live on.
_replaced: list[object] = []


def stand_still(
    seconds: int, offset: int, longest_sleep: float = 0.0, waits: Waits | None = None
) -> None:
    """Let programs read this time, in seconds since 1970, and live in a zone so many seconds east
    of UTC. The clock moves on by what the program sleeps, which is as in `skip_sleep`."""
    import time  # noqa: PLC0415  (only then is it worth its memory)

    if hasattr(time, "tzset"):
        environ["TZ"] = _zone(offset)
        time.tzset()
    else:  # Windows keeps its zone: let the time be right that it shows there
        seconds = int(time.mktime((*time.gmtime(seconds + offset)[:8], -1)))
    slept = _count_sleep(longest_sleep)
    _tell(lambda: seconds * _NANO + slept.told)
    if longest_sleep:
        _tell_of_skipped(slept)
    if longest_sleep and waits is not None:
        _skip_waits(slept, waits)


# What lets a program see that nobody waited: threads, processes and signals go on meanwhile. What
# these modules bring is asked of `sys.modules`, threads are counted; the rest has these words in
# the program's text. A browser has the modules loaded, and none of what they bring.
_BESIDE = frozenset({"multiprocessing", "signal", "subprocess"})
_IN_BROWSER = sys.platform == "emscripten"
_BESIDE_WORDS = (
    b"_thread", b"_signal", b"fork", b"posix_spawn", b"P_NOWAIT", b"ctypes", b"faulthandler",
)  # fmt: skip
# One of them is in the text of who waits: for a time, for nothing of `select`, for another thread.
_SELECT_WORDS = (b"select.select", b"from select import")
_THREAD_WORDS = (b"threading", b"import queue", b"from queue", b"queue.Queue")
# Seconds. One that sleeps more briefly without end is to meet its limit on time asleep first.
_SHORTEST_SLEEP = 0.001
_LATE = 100_000  # nanoseconds: nobody wakes early, however a program rounds what it reads


class Waits:
    """How a program of these texts may wait for a time, with nothing that goes on meanwhile."""

    def __init__(self, texts: Iterable[bytes]) -> None:
        text = b"\n".join(texts)
        goes_on = any(word in text for word in _BESIDE_WORDS)
        self.of_select = not goes_on and any(word in text for word in _SELECT_WORDS)
        self.of_threads = not goes_on and any(word in text for word in _THREAD_WORDS)
        self.any = self.of_select or self.of_threads or (not goes_on and b"sleep" in text)


def skip_sleep(longest: float, waits: Waits) -> None:
    """Let `time.sleep` return at once, and move the clocks on by as much, as long as nothing goes
    on meanwhile. Who has slept more than `longest` seconds in all sleeps on, until it is ended."""
    import time  # noqa: PLC0415

    real, slept = time.time_ns, _count_sleep(longest)
    _tell(lambda: real() + slept.skipped)
    _tell_of_skipped(slept)
    _skip_waits(slept, waits)


class _Slept:
    """Nanoseconds that a program has slept, as `told`, and those of them that nobody waited."""

    def __init__(self, longest: float) -> None:
        import time  # noqa: PLC0415

        self.longest = longest  # seconds; 0: none is skipped
        self.told = 0
        self.skipped = 0
        self._left = round(longest * _NANO)
        self._real_sleep = time.sleep

    def may_skip(self, length: Any) -> bool:
        """Return whether a wait of so many seconds is plain and short, and nothing goes on
        meanwhile.
        """
        is_plain = type(length) is float or type(length) is int
        is_short = is_plain and _SHORTEST_SLEEP <= length <= self.longest
        return is_short and (_IN_BROWSER or not _something_goes_on())

    def skip(self, length: float) -> None:
        """Count a wait that nobody waits; who has used up the limit waits until it is ended."""
        nanoseconds = round(length * _NANO)
        self.told += nanoseconds
        self.skipped += nanoseconds + _LATE
        self._left -= nanoseconds
        while self._left < 0:
            self._real_sleep(self.longest)


def _something_goes_on() -> bool:
    if not _BESIDE.isdisjoint(sys.modules):
        return True
    if "threading" not in sys.modules:
        return False
    # Not the count of `_thread`: over pipes a thread of ours reports the CPU time.
    count = getattr(sys.modules["threading"], "active_count", None)
    return count is None or bool(count() != 1)


def _count_sleep(longest: float) -> _Slept:
    """Replace `time.sleep` by one that counts; the shorter ones return at once (0: none)."""
    import time  # noqa: PLC0415

    real_sleep, slept = time.sleep, _Slept(longest)

    def sleep(length: Any, /) -> None:
        if slept.may_skip(length):
            slept.skip(length)
            return
        real_sleep(length)  # which has its own error messages
        slept.told += int(float(length) * _NANO)

    _put_function(sleep)
    return slept


def _skip_waits(slept: _Slept, waits: Waits) -> None:
    """Let other waits with a time return at once where a sleep does: `select` of nothing, and a
    condition, by which events, semaphores and queues wait. With no other thread nobody sets it."""
    if waits.of_select:
        _skip_select(slept)
    if waits.of_threads:
        _skip_conditions(slept)


def _skip_select(slept: _Slept) -> None:
    import select as module  # noqa: PLC0415

    real = module.select

    def select(rlist: Any, wlist: Any, xlist: Any, timeout: Any = None, /) -> Any:
        is_of_nothing = all(type(each) is list and not each for each in (rlist, wlist, xlist))
        if not is_of_nothing or not slept.may_skip(timeout):
            return real(rlist, wlist, xlist, timeout)
        found = real(rlist, wlist, xlist, 0)
        slept.skip(timeout)
        return found

    _put_function(select, "select")


def _skip_conditions(slept: _Slept) -> None:
    import queue  # noqa: PLC0415
    import threading  # noqa: PLC0415
    import time  # noqa: PLC0415

    condition: Any = threading.Condition
    real = condition.wait

    def wait(self: Any, timeout: Any = None) -> Any:
        if not slept.may_skip(timeout):
            return real(self, timeout)
        found = real(self, 0)
        slept.skip(timeout)
        return found

    wait.__qualname__, wait.__module__ = real.__qualname__, real.__module__
    condition.wait = wait
    # They may have been loaded before the clocks, by which they count, were replaced.
    vars(threading)["_time"] = vars(queue)["time"] = time.monotonic


_MOVED_CLOCKS = ("CLOCK_MONOTONIC", "CLOCK_MONOTONIC_RAW", "CLOCK_BOOTTIME")


def _tell_of_skipped(slept: _Slept) -> None:
    """Let the clocks that count from an unknown time tell of what nobody waited."""
    real = dict(vars(sys.modules["time"]))

    def monotonic() -> float:
        return monotonic_ns() / _NANO

    def monotonic_ns() -> int:
        return int(real["monotonic_ns"]()) + slept.skipped

    def perf_counter() -> float:
        return perf_counter_ns() / _NANO

    def perf_counter_ns() -> int:
        return int(real["perf_counter_ns"]()) + slept.skipped

    for function in (monotonic, monotonic_ns, perf_counter, perf_counter_ns):
        _put_function(function)
    if moved := [real[name] for name in _MOVED_CLOCKS if name in real]:

        def clock_gettime(clock: int, /) -> float:
            seconds: float = real["clock_gettime"](clock)
            return seconds + slept.skipped / _NANO if clock in moved else seconds

        def clock_gettime_ns(clock: int, /) -> int:
            nanoseconds: int = real["clock_gettime_ns"](clock)
            return nanoseconds + slept.skipped if clock in moved else nanoseconds

        _put_function(clock_gettime)
        _put_function(clock_gettime_ns)


def move(seconds: int) -> None:
    """Let programs read a time so many seconds from now, to find outcomes that depend on it."""
    import time  # noqa: PLC0415

    real = time.time_ns
    _tell(lambda: real() + seconds * _NANO)


def _zone(offset: int) -> str:
    """Return a fixed offset as POSIX writes a zone, with the opposite sign: `<+10>-10`."""
    if not offset:
        return "UTC0"
    hours, minutes = divmod(abs(offset) // 60, 60)
    east, west = "+-" if offset > 0 else "-+"
    name = f"{hours:02}{minutes:02}" if minutes else f"{hours:02}"
    return f"<{east}{name}>{west}{hours}:{minutes:02}"


def _tell(now: Callable[[], int]) -> None:
    """Let `time` and `datetime` read the time of `now`, in nanoseconds since 1970."""
    import datetime  # noqa: PLC0415

    for function in _of_time(now):
        _put_function(function)
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


def _put_function(function: Callable[..., Any], module: str = "time") -> None:
    """Replace the module's function that has this name.

    If a program passes another number of arguments or passes them by name, Python's own function
    takes the call, so that its error messages stay.
    """
    name = function.__name__
    real = getattr(sys.modules[module], name)
    most = function.__code__.co_argcount
    taken = range(most - len(function.__defaults__ or ()), most + 1)

    def called(*given: Any, **named: Any) -> Any:
        taking = real if named or len(given) not in taken else function
        return taking(*given, **named)

    setattr(sys.modules[module], name, _as_builtin(called, real))


def _as_builtin(called: Callable[..., Any], real: Any) -> Any:
    """Return an object that calls this and otherwise behaves like Python's own function.

    Unlike a function written in Python it does not become a method of a class that holds it (`nap =
    time.sleep`), its copy is itself, and messages name its usual type.
    """
    space = {
        "__slots__": ("__weakref__",),
        "__module__": real.__module__,
        "__doc__": real.__doc__,
        "__call__": staticmethod(called),
        "__getattr__": lambda own, name: getattr(real, name),
        "__repr__": lambda own: repr(real),
        "__reduce__": lambda own: real.__name__,
    }
    kind = type("builtin_function_or_method", (), space)
    _replaced.append(kind)
    like_built_in[id(kind)] = real.__name__
    return kind()


def _put(kind: type, method: Any) -> None:
    """Put a class method into a class that takes no attributes."""
    space = gc.get_referents(kind.__dict__)[0]
    _replaced.append(space[method.__name__])
    space[method.__name__] = classmethod(method)


def _of_time(now: Callable[[], int]) -> tuple[Callable[..., Any], ...]:
    """Return the replacements for the functions of `time` that read the time of day."""
    real = dict(vars(sys.modules["time"]))

    def time() -> float:
        return now() / _NANO

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
