"""A wait with a time for what nothing can bring takes no time, as a sleep does; it gives what plain
Python gives, and moves the clocks. Where something goes on meanwhile it is waited for."""

import time
from collections.abc import Iterator

import pytest

from harness.execution import AnyDriver, Driver
from harness.execution.piped import PipedDriver
from harness.model.observation import Ending
from harness.model.stimulus import Limits
from tests.execution.small_world import call, observe, plain

LONG = Limits(cpu_seconds=2, wall_seconds=400, memory_mib=128, output_kib=64)
SHORT = Limits(cpu_seconds=2, wall_seconds=1.5, memory_mib=128, output_kib=64)
SOON = 60  # seconds, however busy the machine is: whoever waits below takes longer
QUEUES = "import queue, threading\nfrom queue import Queue, Empty, Full\n"


@pytest.fixture
def soon() -> Iterator[None]:
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < SOON


# What waits, and what it gives where nothing else goes on. `N` is the time.
WAITS = {
    "select": ("import select\n", "select.select([], [], [], N)", "([], [], [])"),
    "select by name": ("from select import select\n", "select([], [], [], N)", "([], [], [])"),
    "an event": ("import threading\n", "threading.Event().wait(N)", "False"),
    "an event by name": ("from threading import Event\n", "Event().wait(timeout=N)", "False"),
    "a semaphore": ("import threading\n", "threading.Semaphore(0).acquire(timeout=N)", "False"),
    "a queue": (QUEUES, "caught(Empty, lambda: Queue().get(timeout=N))", "'Empty'"),
    "a full queue": (QUEUES, "caught(Full, lambda: full().put(2, timeout=N))", "'Full'"),
    "a condition": (QUEUES, "held(threading.Condition()).wait(N)", "False"),
    "a predicate": (QUEUES, "held(threading.Condition()).wait_for(list, N)", "[]"),
    "a lock": (QUEUES, "taken().acquire(timeout=N)", "False"),
    "a lock by position": (QUEUES, "taken().acquire(True, N)", "False"),
    "a simple queue": (
        QUEUES,
        "caught(Empty, lambda: queue.SimpleQueue().get(timeout=N))",
        "'Empty'",
    ),
    "a barrier": (
        QUEUES,
        "caught(threading.BrokenBarrierError, threading.Barrier(2, timeout=N).wait)",
        "'BrokenBarrierError'",
    ),
    "a signal": ("import signal\n", "signal.sigtimedwait([signal.SIGUSR1], N)", "None"),
    "a sleep beside signal": ("import signal, time\n", "time.sleep(N)", "None"),
    "a sleep beside threads": ("import threading, time\n", "time.sleep(N)", "None"),
}
# The same for what the kernel keeps from all others: a process elsewhere has other descriptors.
SELECT = "import os, select\n"
CONFINED = {
    "poll": (SELECT, "select.poll().poll(1000 * N)", "[]"),
    "epoll": (SELECT, "select.epoll().poll(N)", "[]"),
    "epoll by name": (SELECT, "select.epoll().poll(timeout=N, maxevents=3)", "[]"),
    "a coroutine": ("import asyncio\n", "asyncio.run(asyncio.sleep(N, 'slept'))", "'slept'"),
    "an event loop": (
        "import asyncio\n",
        "caught(TimeoutError, lambda: asyncio.run(asyncio.wait_for(never(), N)))",
        "'TimeoutError'",
    ),
    "a sleep beside subprocess": ("import subprocess, time\n", "time.sleep(N)", "None"),
    "a sleep beside fork": ("import os, time\nstart = os.fork\n", "time.sleep(N)", "None"),
}
HELPERS = """\
import time
async def never():
    await __import__('asyncio').Event().wait()
def taken():
    lock = threading.Lock()
    lock.acquire()
    return lock
def caught(kind, does):
    try:
        return does()
    except kind as error:
        return type(error).__name__
def full():
    one = Queue(1)
    one.put(1)
    return one
def held(condition):
    condition.acquire()
    return condition
def f():
    before = time.monotonic()
    given = WAIT
    return given, N <= time.monotonic() - before < N + 60
"""


EVERY = WAITS | CONFINED


def program(name: str, seconds: str) -> str:
    begins, wait, _ = EVERY[name]
    return begins + HELPERS.replace("WAIT", wait).replace("N", seconds)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("name", WAITS)
def test_a_wait_for_nothing_takes_no_time(way: AnyDriver, name: str) -> None:
    seen = observe(way, program(name, "120"), call("f()"), LONG)
    assert (seen.ending, seen.raised) == (Ending.ANSWERED, None)
    assert plain(seen.value) == f"({WAITS[name][2]}, True)"


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("name", CONFINED)
def test_a_confined_wait_takes_no_time(driver: Driver, name: str) -> None:
    seen = observe(driver, program(name, "120"), call("f()"), LONG)
    assert (seen.ending, seen.raised) == (Ending.ANSWERED, None)
    assert plain(seen.value) == f"({CONFINED[name][2]}, True)"


@pytest.mark.parametrize("name", EVERY)
def test_it_gives_what_plain_python_gives(name: str) -> None:
    space: dict[str, object] = {}
    exec(program(name, "0.01"), space)
    assert repr(space["f"]()) == f"({EVERY[name][2]}, True)"  # type: ignore[operator]


@pytest.mark.parametrize(
    "wait", ["select.select([], [], [], 0.4)", "e.wait(0.4)", "q.get(timeout=7)"]
)
def test_all_waits_together_may_take_the_limit(way: AnyDriver, wait: str) -> None:
    text = (
        "import queue, select, threading\ne = threading.Event()\nq = queue.Queue()\ndef f():\n"
        f"    select.select\n    for n in range(9):\n        print(n)\n        {wait}\n"
    )
    seen = observe(way, text, call("f()"), SHORT)
    assert seen.ending is Ending.TIMEOUT
    assert seen.printed == ("0\n" if "7" in wait else "0\n1\n2\n3\n")


def test_input_from_another_thread_is_waited_for(pipes: PipedDriver) -> None:
    text = (
        "import queue, threading\ndef f():\n    q = queue.Queue()\n    e = threading.Event()\n"
        "    threading.Timer(0.2, lambda: (q.put('here'), e.set())).start()\n"
        "    return q.get(timeout=90), e.wait(90)\n"
    )
    assert plain(observe(pipes, text, call("f()"), LONG).value) == "('here', True)"


@pytest.mark.usefixtures("soon")
def test_available_input_is_not_waited_for(one_driver: Driver) -> None:
    text = (
        "import os, queue, select, threading, time\ndef f():\n"
        "    begun = time.monotonic()\n    read, write = os.pipe()\n    os.write(write, b'x')\n"
        "    poll = select.epoll()\n    poll.register(read)\n    q = queue.SimpleQueue()\n"
        "    q.put(1)\n"
        "    found = [len(poll.poll(90)), len(poll.poll(timeout=90)),\n"
        "             q.get(timeout=90), threading.Lock().acquire(timeout=90)]\n"
        "    return found, time.monotonic() - begun < 60\n"
    )
    seen = observe(one_driver, text, call("f()"), LONG)
    assert plain(seen.value) == "([1, 1, 1, True], True)"


@pytest.mark.usefixtures("soon")
def test_a_timed_wait_for_the_keyboard_is_typed_what_it_asks_for(one_driver: Driver) -> None:
    text = (
        "import select, sys\ndef f():\n    poll = select.poll()\n    poll.register(0)\n"
        "    first = poll.poll(90000), input()\n"
        "    return first[1], len(select.select([0], [], [], 90)[0]), input()\n"
    )
    seen = observe(one_driver, text, call("f()", "one", "two"), LONG)
    assert plain(seen.value) == "('one', 1, 'two')"


# What is wrong has Python's own words.
WRONG = (
    "select.select([], [], [], -1)",
    "select.select([], [], [], 'x')",
    "select.select([], [], timeout=1)",
    "select.select(None, [], [], 1)",
    "threading.Condition().wait(1)",
    "threading.Event().wait('x')",
    "threading.Event().wait(1, 2)",
    "threading.Lock().acquire(False, 1)",
    "threading.Lock().acquire(1, 2, 3)",
    "threading.Lock().acquire(wait=1)",
    "threading.Lock().acquire(timeout=-2)",
    "queue.SimpleQueue().get(True, -1)",
    "queue.SimpleQueue().get(False, 300)",
    "select.poll().poll('x')",
    "select.poll().poll(1, 2)",
    "select.epoll().poll(wait=1)",
    "signal.sigtimedwait([], -1)",
)


def test_an_error_has_pythons_own_words(one_driver: Driver) -> None:
    body = "".join(
        f"    try: {each}\n    except Exception as error: told.append(repr(error))\n"
        for each in WRONG
    )
    text = (
        f"import queue, select, signal, threading\ndef f():\n    told = []\n{body}    return told\n"
    )
    space: dict[str, object] = {}
    exec(text, space)
    seen = observe(one_driver, text, call("f()"), LONG)
    assert plain(seen.value) == repr(space["f"]())  # type: ignore[operator]
