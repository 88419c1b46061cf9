"""A wait that nothing ends is ended at once, where the kernel tells of it; one that a time or a
timer ends goes on."""

import os
import time

import pytest

from harness.execution import Driver
from harness.model.observation import Ending, Tier
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
# With this word in its text a program waits for everything: the kernel tells of these.
C_CODE = "# ctypes\n"
# Of these the kernel tells who may know: root, or whoever made the namespaces of the process.
OWN_PIPES = {
    "a full pipe": "os.write(os.pipe()[1], bytes(1 << 20))",
    "an empty pipe": "os.read(os.pipe()[0], 1)",
    "a file over a pipe": "open(os.pipe()[0]).read()",
    "a socket": "two = socket.socketpair(); os.read(two[0].fileno(), 1)",
    "an epoll": "select.epoll().poll()",
    "a poll": "poll = select.poll(); poll.register(kept[0], 1); poll.poll()",
    "a select": "select.select([kept[0]], [], [])",
    "a select of a socket": "two = socket.socketpair(); select.select([two[0]], [], [two[1]])",
    "a coroutine": "asyncio.run(asyncio.Event().wait())",
}
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
def test_a_program_that_waits_for_nothing_is_ended_at_once(
    one_driver: Driver, program: str
) -> None:
    seen = observe(one_driver, f"print('here')\n{program}\n", call("print('there'), f()"), LONG)
    assert seen.ending is Ending.TIMEOUT
    assert seen.printed == "there\n"


@pytest.mark.parametrize("wait", OWN_PIPES.values(), ids=OWN_PIPES)
def test_a_program_that_waits_for_itself_is_ended_at_once(one_driver: Driver, wait: str) -> None:
    if os.geteuid() != 0 and one_driver.tier is not Tier.STRONG:
        pytest.skip("here the kernel does not tell")
    text = f"import asyncio, os, select, socket\ndef f():\n    kept = os.pipe()\n    {wait}\n"
    seen = observe(one_driver, text, call("print('there'), f()"), LONG)
    assert seen.ending is Ending.TIMEOUT
    assert seen.printed == "there\n"


def test_a_program_that_prints_much_into_a_full_pipe_is_not_ended(one_driver: Driver) -> None:
    text = (
        "import os\ndef f():\n    read, write = os.pipe()\n    os.write(write, bytes(1 << 16))\n"
        "    print('x' * 200_000)\n    return os.read(read, 1)\n"
    )
    roomy = Limits(cpu_seconds=5.0, wall_seconds=300.0, output_kib=256)
    assert plain(observe(one_driver, text, call("f()"), roomy).value) == repr(bytes(1))


OWN = (
    "import os, select\ndef f():\n    read, write = os.pipe()\n    poll = select.poll()\n"
    "    poll.register(read, 1)\n"
    "    before = poll.poll(1), select.select([read], [], [], 0.01)[0]\n"
    "    os.write(write, b'x')\n"
    "    after = len(poll.poll()), len(select.select([read], [], [])[0])\n"
    "    poll.register(0, 1)\n    both = len(poll.poll(1000))\n"
    "    return before, after, both, input(), input()\n"
)


def test_a_wait_for_its_own_pipe_asks_for_no_input(one_driver: Driver) -> None:
    if os.geteuid() != 0 and one_driver.tier is not Tier.STRONG:
        pytest.skip("here the kernel does not tell")
    seen = observe(one_driver, OWN, call("f()", "one", "two"), LONG)
    assert plain(seen.value) == "(([], []), (1, 1), 2, 'one', 'two')"


@pytest.mark.parametrize("program", ENDING.values(), ids=ENDING)
def test_a_wait_that_ends_is_not_cut_short(one_driver: Driver, program: str) -> None:
    begun = time.monotonic()
    seen = observe(one_driver, f"{C_CODE}{program}\n", call("f()"), LONG)
    assert plain(seen.value) == "7"
    assert time.monotonic() - begun >= 0.05
