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
    "a sleep beside threads": ("import threading, time\n", "time.sleep(N)", "None"),
}
HELPERS = """\
import time
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


def program(name: str, seconds: str) -> str:
    begins, wait, _ = WAITS[name]
    return begins + HELPERS.replace("WAIT", wait).replace("N", seconds)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("name", WAITS)
def test_a_wait_for_nothing_takes_no_time(way: AnyDriver, name: str) -> None:
    seen = observe(way, program(name, "120"), call("f()"), LONG)
    assert (seen.ending, seen.raised) == (Ending.ANSWERED, None)
    assert plain(seen.value) == f"({WAITS[name][2]}, True)"


@pytest.mark.parametrize("name", WAITS)
def test_it_gives_what_plain_python_gives(name: str) -> None:
    space: dict[str, object] = {}
    exec(program(name, "0.01"), space)
    assert repr(space["f"]()) == f"({WAITS[name][2]}, True)"  # type: ignore[operator]


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


def test_what_another_thread_brings_is_waited_for(pipes: PipedDriver) -> None:
    text = (
        "import queue, threading\ndef f():\n    q = queue.Queue()\n    e = threading.Event()\n"
        "    threading.Timer(0.2, lambda: (q.put('here'), e.set())).start()\n"
        "    return q.get(timeout=90), e.wait(90)\n"
    )
    assert plain(observe(pipes, text, call("f()"), LONG).value) == "('here', True)"


# What is wrong has Python's own words.
WRONG = (
    "select.select([], [], [], -1)",
    "select.select([], [], [], 'x')",
    "select.select([], [], timeout=1)",
    "select.select(None, [], [], 1)",
    "threading.Condition().wait(1)",
    "threading.Event().wait('x')",
    "threading.Event().wait(1, 2)",
)


def test_what_is_wrong_has_pythons_own_words(one_driver: Driver) -> None:
    body = "".join(
        f"    try: {each}\n    except Exception as error: told.append(repr(error))\n"
        for each in WRONG
    )
    text = f"import select, threading\ndef f():\n    told = []\n{body}    return told\n"
    space: dict[str, object] = {}
    exec(text, space)
    seen = observe(one_driver, text, call("f()"), LONG)
    assert plain(seen.value) == repr(space["f"]())  # type: ignore[operator]
