"""Makes a program's timed waits return at once, as if the time had passed, if nothing else is
running that could end them.

Such waits are `sleep`, and waits with a time-out for a lock, a queue, a descriptor or a signal.
`clock` moves the clocks forward by the same time.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would bring in `enum`
import sys

from .replacing import put_any_call, put_function, put_method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

NANO = 1_000_000_000

# What lets a program see that nobody waited: threads, processes and timers go on meanwhile. A
# confined scenario can start neither thread nor process. Elsewhere what these modules bring is
# asked of `sys.modules`, threads are counted, and the rest has these words in the program's text.
# A browser has the modules loaded, without their effects.
_BESIDE = frozenset({"multiprocessing", "subprocess"})
_IN_BROWSER = sys.platform == "emscripten"
_BESIDE_WORDS = (
    b"_thread", b"_signal", b"fork", b"posix_spawn", b"P_NOWAIT", b"faulthandler",
)  # fmt: skip
_C_WORD = b"ctypes"  # by which a program may start anything, and read every clock
# One of them is in the text of who waits: for a descriptor, for another thread, for a signal.
_SELECT_WORDS = (
    b"select.select", b"select.poll", b"select.epoll", b"from select import", b"selectors",
    b"asyncio",
)  # fmt: skip
_THREAD_WORDS = (
    b"threading", b"_thread", b"import queue", b"from queue", b"queue.Queue", b"queue.SimpleQueue",
)  # fmt: skip
_SIGNAL_WORD = b"sigtimedwait"
# Seconds. One that sleeps more briefly without end is to meet its limit on time asleep first.
_MIN_SLEEP = 0.001
_LATE = 100_000  # nanoseconds: nobody wakes early, even if a program rounds the time


class Waits:
    """Decides, from the source texts of a program, how it may wait."""

    def __init__(self, texts: Iterable[bytes]) -> None:
        text = b"\n".join(texts)
        self.of_select = any(word in text for word in _SELECT_WORDS)
        self.of_threads = any(word in text for word in _THREAD_WORDS)
        self.of_signals = _SIGNAL_WORD in text
        self._of_any = self.of_select or self.of_threads or self.of_signals or b"sleep" in text
        self._calls_c = _C_WORD in text
        self._starts_others = any(word in text for word in _BESIDE_WORDS)

    def may_be_skipped(self, *, confined: bool) -> bool:
        """Return whether the program waits and starts nothing in the background that we could not
        detect. A `confined` program can only start timers.
        """
        starts_others = self._starts_others and not confined
        return self._of_any and not self._calls_c and not starts_others


class Slept:
    """The nanoseconds that a program has slept, reported by `told`, and the part of them that was
    skipped.

    At most `longest` seconds are skipped in total; with 0, no wait is skipped.
    """

    def __init__(self, longest: float = 0.0, *, confined: bool = False) -> None:
        import time  # noqa: PLC0415  (only then is it worth its memory)

        self.longest = longest
        self.told = 0
        self.skipped = 0
        self.confined = confined
        self._left = round(longest * NANO)
        self._real_sleep = time.sleep
        self._timer = getattr(_signal, "getitimer", None)

    def may_skip(self, length: Any) -> bool:
        """Return whether a wait of `length` seconds can be skipped: it is short enough and nothing
        runs in the background.
        """
        is_plain = type(length) is float or type(length) is int
        is_short = is_plain and _MIN_SLEEP <= length <= self.longest
        return is_short and (_IN_BROWSER or not self._something_goes_on())

    def skip(self, length: float) -> None:
        """Count a skipped wait.

        Once the limit is used up, the program really waits, until it is ended.
        """
        nanoseconds = round(length * NANO)
        self.told += nanoseconds
        self.skipped += nanoseconds + _LATE
        self._left -= nanoseconds
        while self._left < 0:
            self._real_sleep(self.longest)

    def _something_goes_on(self) -> bool:
        if self._timer is not None and self._timer(_signal.ITIMER_REAL)[0]:
            return True
        if self.confined:
            return False
        if not _BESIDE.isdisjoint(sys.modules):
            return True
        if "threading" not in sys.modules:
            return False
        # Not the count of `_thread`: over pipes a thread of ours reports the CPU time.
        count = getattr(sys.modules["threading"], "active_count", None)
        return count is None or bool(count() != 1)


def count_sleep(slept: Slept) -> None:
    """Replace `time.sleep` by a function that counts; it returns at once for shorter sleeps."""
    import time  # noqa: PLC0415

    real_sleep = time.sleep

    def sleep(length: Any, /) -> None:
        if slept.may_skip(length):
            slept.skip(length)
            return
        real_sleep(length)  # which has its own error messages
        slept.told += int(float(length) * NANO)

    put_function(sleep)


def skip_waits(slept: Slept, waits: Waits) -> None:
    """Make waits with a time-out return at once if nothing could end them later.

    Each one first checks for the event that it waits for. Call this when the clocks are replaced.
    """
    if waits.of_select:
        _skip_select(slept)
    if waits.of_threads:
        _skip_locks(slept)
    if waits.of_signals and hasattr(_signal, "sigtimedwait"):
        waiting = _waiting(_signal.sigtimedwait, slept, 1)
        put_any_call(waiting, "sigtimedwait", "_signal")


def _skip_select(slept: Slept) -> None:
    import select as module  # noqa: PLC0415

    real = module.select
    if slept.confined:  # nobody else writes to a descriptor of its own, or reads from it
        put_any_call(_waiting(real, slept, 3), "select", "select")
        for kind, unit in ((type(module.poll()), 0.001), (module.epoll, 1)):
            put_method(kind, "poll", _waiting(kind.__dict__["poll"], slept, 1, "timeout", unit))
        return

    def select(rlist: Any, wlist: Any, xlist: Any, timeout: Any = None, /) -> Any:
        is_of_nothing = all(
            type(waited_for) is list and not waited_for for waited_for in (rlist, wlist, xlist)
        )
        if not is_of_nothing or not slept.may_skip(timeout):
            return real(rlist, wlist, xlist, timeout)
        found = real(rlist, wlist, xlist, 0)
        slept.skip(timeout)
        return found

    put_function(select, "select")


def _skip_locks(slept: Slept) -> None:
    """Skip waits for locks.

    Conditions are built on locks; events, semaphores and queues on conditions.
    """
    import queue  # noqa: PLC0415
    import threading  # noqa: PLC0415
    import time  # noqa: PLC0415

    lock = type(threading.Lock())
    for name in ("acquire", "acquire_lock"):
        if name in lock.__dict__:
            real = lock.__dict__[name]
            put_method(lock, name, _waiting(real, slept, 2, "timeout", unless="blocking"))
    simple: Any = queue.SimpleQueue
    real = simple.__dict__["get"]
    if type(real) is type(lock.__dict__["release"]):  # else written in Python, on a semaphore
        put_method(simple, "get", _waiting(real, slept, 2, "timeout", unless="block"))
    # They may have been loaded before the clocks, by which they count, were replaced.
    vars(threading)["_time"] = vars(queue)["time"] = time.monotonic


def _waiting(
    real: Callable[..., Any],
    slept: Slept,
    position: int,
    name: str = "",
    unit: float = 1,
    *,
    unless: str = "",
) -> Callable[..., Any]:
    """Return a function that does the same as `real` but skips its wait if possible.

    The time-out is the argument `name`, or the one at `position`, in units of `unit` seconds. The
    argument before it, named `unless`, says whether the call waits at all.
    """

    def waiting(*given: Any, **named: Any) -> Any:
        seconds = _in_seconds(_argument(given, named, position, name), unit)
        waits = not unless or _argument(given, named, position - 1, unless, True) is True
        if not waits or not slept.may_skip(seconds):
            return real(*given, **named)
        if position < len(given):
            given = (*given[:position], 0, *given[position + 1 :])
        else:
            named[name] = 0
        return _found(real, given, named, slept, seconds)

    return waiting


def _argument(
    given: tuple[Any, ...], named: dict[str, Any], position: int, name: str, default: Any = None
) -> Any:
    """Return the argument with this name or at this position, otherwise the default."""
    if position < len(given):
        return given[position]
    return named.get(name, default)


def _in_seconds(length: Any, unit: float) -> Any:
    is_plain = type(length) is float or type(length) is int
    return length * unit if is_plain else length


def _found(
    real: Callable[..., Any],
    given: tuple[Any, ...],
    named: dict[str, Any],
    slept: Slept,
    seconds: float,
) -> Any:
    """Return the call's result without waiting.

    If it has none yet, count so many seconds as passed.
    """
    try:
        found = real(*given, **named)
    except BaseException as error:
        if type(error).__name__ == "Empty":
            slept.skip(seconds)
        raise
    is_nothing = not any(found) if type(found) is tuple else not found
    if is_nothing:
        slept.skip(seconds)
    return found
