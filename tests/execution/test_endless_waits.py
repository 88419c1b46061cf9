"""A wait that nothing ends is ended at once, where the kernel tells of it; one that a time or a
timer ends goes on."""

import time

import pytest

from harness.execution import Driver
from harness.model.observation import Ending
from harness.model.stimulus import Limits
from tests.execution.small_world import call, observe, plain

LONG = Limits(cpu_seconds=5.0, wall_seconds=300.0)  # a test that waited for it would not end

ENDLESS = {
    "select": "import select\ndef f():\n    select.select([], [], [])",
    "poll": "import select\ndef f():\n    select.poll().poll()",
    "negative poll": "import select\ndef f():\n    select.poll().poll(-5)",
    "event": "import threading\ndef f():\n    threading.Event().wait()",
    "lock": "import threading\ndef f():\n    lock = threading.Lock()\n    lock.acquire()\n"
    "    lock.acquire()",
    "queue": "import queue\ndef f():\n    queue.Queue().get()",
    "pause": "import signal\ndef f():\n    signal.pause()",
    "signal": "import signal\ndef f():\n    signal.sigwait([signal.SIGUSR1])",
}
# Beside `signal` nothing is skipped: the kernel tells of these.
ENDING = {
    "select": "import select, signal\ndef f():\n    select.select([], [], [], 0.05)\n    return 7",
    "poll": "import select\ndef f():\n    select.poll().poll(50)\n    return 7",
    "event": "import signal, threading\ndef f():\n    threading.Event().wait(0.05)\n    return 7",
    "lock": "import threading\ndef f():\n    lock = threading.Lock()\n    lock.acquire()\n"
    "    lock.acquire(timeout=0.05)\n    return 7",
    "timer": "import signal\ndef f():\n    signal.signal(signal.SIGALRM, lambda *_: None)\n"
    "    signal.setitimer(signal.ITIMER_REAL, 0.05)\n    signal.pause()\n    return 7",
}


@pytest.mark.parametrize("program", ENDLESS.values(), ids=ENDLESS)
def test_what_waits_for_nothing_is_ended_at_once(one_driver: Driver, program: str) -> None:
    seen = observe(one_driver, f"print('here')\n{program}\n", call("print('there'), f()"), LONG)
    assert seen.ending is Ending.TIMEOUT
    assert seen.printed == "there\n"


@pytest.mark.parametrize("program", ENDING.values(), ids=ENDING)
def test_a_wait_that_ends_is_left_alone(one_driver: Driver, program: str) -> None:
    begun = time.monotonic()
    seen = observe(one_driver, f"{program}\n", call("f()"), LONG)
    assert plain(seen.value) == "7"
    assert time.monotonic() - begun >= 0.05
