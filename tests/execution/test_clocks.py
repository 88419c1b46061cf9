"""Limits on time are looked at whatever a process sends, and nothing outlives the driver."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.execution import Driver
from harness.model.observation import Ending, Tier
from harness.model.stimulus import Limits
from tests.execution.small_world import call, observe
from tests.hostile.hostile_machine import below
from tests.per_commit import per_commit

ASKS_WITHOUT_END = {
    "reads nothing": "import os\ndef f():\n    while True: os.read(0, 0)\n",
    "looks": "import select\ndef f():\n    while True: select.select([0], [], [], 0)\n",
    "polls": (
        "import select\ndef f():\n    p = select.poll()\n    p.register(0)\n"
        "    while True: p.poll(0)\n"
    ),
}


@pytest.mark.parametrize("name", per_commit(ASKS_WITHOUT_END, "looks"))
def test_asking_without_end_runs_into_a_limit(one_driver: Driver, name: str) -> None:
    limits = Limits(cpu_seconds=0.5, wall_seconds=1.5, output_kib=8)
    begun = time.monotonic()
    seen = observe(one_driver, ASKS_WITHOUT_END[name], call("f()", "one", "two"), limits)
    assert seen.ending in (Ending.CPU_LIMIT, Ending.TIMEOUT)
    assert seen.cpu_seconds < limits.cpu_seconds + 0.5
    assert time.monotonic() - begun < 60  # whatever the load: without a look it never ends


SPINS = """\
import os, sys, time
from harness.execution import Driver, find_interpreter
from harness.model.observation import Tier
from harness.model.stimulus import Limits
from tests.execution.small_world import assignment, call, source
programs = {
    "spins": "def f():\\n    while True: pass",
    "sleeps": "import time\\ndef f(): time.sleep(600)",
    "beside": "def f():\\n    while True: pass",
    "compiles": "y = [" + "x+2*3," * 900000 + "]\\n",
    "asks": "import os\\ndef f():\\n    while True: os.read(0, 0)"}
limits = Limits(cpu_seconds=500, wall_seconds=500)
with Driver(find_interpreter("3.12"), Tier(sys.argv[1])) as driver:
    print("up", flush=True)
    with driver.submission(assignment(), (source(programs[sys.argv[2]]),)) as server:
        print("begun", flush=True)
        if sys.argv[2] == "beside" and not os.fork():
            time.sleep(5)  # with all our descriptors
            os._exit(0)
        server.observe(call("f()", "one"), limits)
"""


# Compiling takes a second or two, in which somebody has to look.
COMPILES = pytest.param("compiles", marks=pytest.mark.alone)


@pytest.mark.parametrize("program", ["spins", "sleeps", "asks", COMPILES, "beside"])
@pytest.mark.parametrize("tier", list(Tier), indirect=True)
def test_after_sigkill_nothing_lives_on(tier: Tier, program: str) -> None:
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", SPINS, tier.value, program],
        stdout=subprocess.PIPE,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        if program != "compiles":
            assert process.stdout.readline() == b"begun\n"
        least = {"compiles": 3, "beside": 5}.get(program, 4)
        born = _wait_for(lambda: _with_birth(below(process.pid)), least)
        if program == "beside":
            born = frozenset(each for each in born if not _is_python_of_ours(each[0]))
        process.kill()  # after the look at them: what ends at once is no longer there
    assert _wait_until_gone(born, 2.0) == frozenset()


def _is_python_of_ours(pid: int) -> bool:
    """Whether it is the process that only holds our descriptors."""
    return b"begun" in Path(f"/proc/{pid}/cmdline").read_bytes()


def _with_birth(pids: frozenset[int]) -> frozenset[tuple[int, str]]:
    """Processes by number and time of birth, so that a number given again is another process."""
    found = set()
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(") ")[2]
        except OSError:
            continue
        if fields[0] not in "ZX":
            found.add((pid, fields.split()[19]))
    return frozenset(found)


def _wait_for(
    look: Callable[[], frozenset[tuple[int, str]]], least: int
) -> frozenset[tuple[int, str]]:
    """The processes once there are so many: base, reader, server, scenario; bwrap comes on top."""
    deadline = time.monotonic() + 120
    while len(found := look()) < least:
        assert time.monotonic() < deadline
        os.sched_yield()
    return found


def _wait_until_gone(
    born: frozenset[tuple[int, str]], seconds: float
) -> frozenset[tuple[int, str]]:
    deadline = time.monotonic() + seconds
    left = born
    while left and time.monotonic() < deadline:
        left = _with_birth(frozenset(pid for pid, _ in born)) & born
    return left
