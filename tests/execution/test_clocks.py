"""Limits on time are looked at whatever a process sends, and where the one who watches stood still;
time asleep is not time spent waiting for a processor; nothing outlives the driver; processes told
of by descriptors."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.execution import Driver
from harness.execution.linux import monitor, processes
from harness.execution.linux.monitor import ScenarioClock
from harness.execution.linux.processes import ProcessClock
from harness.model.observation import Ending, Tier
from harness.model.stimulus import Limits
from tests.execution import children
from tests.execution.small_world import assignment, call, observe, plain, source
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
    limits = Limits(cpu_seconds=0.2, wall_seconds=1.5, output_kib=8)
    begun = time.monotonic()
    seen = observe(one_driver, ASKS_WITHOUT_END[name], call("f()", "one", "two"), limits)
    assert seen.ending in (Ending.CPU_LIMIT, Ending.TIMEOUT)
    assert seen.cpu_seconds < limits.cpu_seconds + 0.5
    assert time.monotonic() - begun < 60  # whatever the load: without a look it never ends


# Compiling takes a second or two, in which somebody has to look.
COMPILES = pytest.param("compiles", marks=pytest.mark.alone)


@pytest.mark.parametrize("program", ["spins", "sleeps", "asks", COMPILES, "beside"])
@pytest.mark.parametrize("tier", list(Tier), indirect=True)
def test_after_sigkill_nothing_lives_on(tier: Tier, program: str) -> None:
    process, told = children.start(children.drive, tier, program)
    assert told.recv() == "up"
    beside = 0
    if program != "compiles":
        assert told.recv() == "begun"
        beside = told.recv()  # the process that only holds the driver's descriptors, or 0
    least = {"compiles": 3, "beside": 5}.get(program, 4)
    born = _wait_for(lambda: _with_birth(below(process.pid)), least)
    born = frozenset(each for each in born if each[0] != beside)
    process.kill()  # after the look at them: what ends at once is no longer there
    process.join()
    assert _wait_until_gone(born, 2.0) == frozenset()


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


IDLE = "import os; os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)); print(flush=True)\n"
COMPUTE = "while True: pass"
WATCHED = 0.9  # seconds
PATIENCE = 120.0


@contextmanager
def started(core: int, source: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Python program on one core, once it has printed its first line."""
    pin = f"import os; os.sched_setaffinity(0, {{{core}}})\n"
    with subprocess.Popen([sys.executable, "-c", pin + source], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def watched(pid: int) -> list[float]:
    """Every few milliseconds for a while, the time asleep since the beginning."""
    clock, started_at, seen = ProcessClock(pid), time.monotonic(), []
    while (elapsed := time.monotonic() - started_at) < WATCHED:
        seen.append(clock.asleep(elapsed))
        select.select([], [], [], 0.005)
    return seen


def test_a_process_that_gets_no_processor_is_not_asleep() -> None:
    core = min(os.sched_getaffinity(0))
    busy = "print(flush=True)\n" + COMPUTE
    with started(core, IDLE + COMPUTE) as starved, started(core, busy), started(core, busy):
        before = ProcessClock(starved.pid).cpu()
        assert max(watched(starved.pid)) < 0.3
        assert ProcessClock(starved.pid).cpu() - before < WATCHED / 2  # it was kept waiting


def test_a_process_that_sleeps_is_asleep() -> None:
    core = max(os.sched_getaffinity(0))
    with started(core, "import time; print(flush=True); time.sleep(600)") as sleeper:
        clock, started_at, asleep = ProcessClock(sleeper.pid), time.monotonic(), 0.0
        while asleep < 0.2:  # at once on a quiet machine; time that we wait does not count
            select.select([], [], [], 0.1)
            elapsed = time.monotonic() - started_at
            assert elapsed < PATIENCE
            asleep = clock.asleep(elapsed)
            assert asleep <= elapsed


WALL = 2.0  # seconds


class Watch:
    """A clock over a process that only sleeps, and time as a test has it pass."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.own_cpu = 100.0, 0.0
        monkeypatch.setattr(monitor.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(monitor.time, "thread_time", lambda: self.own_cpu)
        limits = Limits(cpu_seconds=1.0, wall_seconds=WALL)
        self.clock = ScenarioClock(SimpleNamespace(), limits)  # type: ignore[arg-type]
        sleeps = SimpleNamespace(cpu=lambda: 0.0, asleep=lambda elapsed: elapsed)
        self.clock._clock = sleeps  # type: ignore[assignment]

    def seconds_to_timeout(self, *delays: float, own_cpu: float = 0.0) -> float:
        """Look when it is due, after the first second so much later each time; a look takes so
        much CPU time of ours."""
        left, began = [*delays], self.now
        ended = None
        while ended is None:
            self.now = max(self.now, self.clock.due)
            if left and self.now - began > 1.2:
                self.now += left.pop(0)
            self.own_cpu += own_cpu
            ended = self.clock.passed()
        assert ended is Ending.TIMEOUT
        return self.now - began


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    return Watch(monkeypatch)


@pytest.mark.parametrize(
    ("delays", "own_cpu", "least", "most"),
    [
        pytest.param([], 0.0, WALL, WALL, id="without delay"),
        pytest.param([30.0], 0.0, WALL + 30.0, WALL + 30.0, id="a pause of the machine"),
        pytest.param([0.3] * 50, 0.0, WALL, WALL + 0.5, id="small delays do not lengthen it"),
        pytest.param([0.8] * 50, 0.8, WALL, WALL + 1.0, id="nor looks that a program makes long"),
    ],
)
def test_a_pause_of_the_machine_alone_is_no_time_asleep(
    watch: Watch, delays: list[float], own_cpu: float, least: float, most: float
) -> None:
    seconds = watch.seconds_to_timeout(*delays, own_cpu=own_cpu)
    assert least - 1e-6 < seconds < most + 1e-6


def test_what_is_excluded_already_is_not_excluded_twice(watch: Watch) -> None:
    watch.now += 5.0
    watch.clock.exclude(5.0)
    assert watch.seconds_to_timeout() == pytest.approx(WALL)


def ended() -> int:
    """A descriptor for a process that is gone."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    descriptor = os.pidfd_open(child)
    os.waitpid(child, 0)
    return descriptor


def test_a_living_process_is_known_by_its_number() -> None:
    assert processes.resolve_pid(0, [os.pidfd_open(os.getpid())]) == os.getpid()
    assert processes.resolve_pid(5, []) == 5


def test_one_that_is_gone_is_not() -> None:
    descriptor = ended()
    with pytest.raises(processes.GoneError):
        processes.resolve_pid(5, [descriptor])
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)


def test_a_scenario_that_ends_while_we_ask_for_its_number_has_ended(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer to the question is read when the process is gone, as on a busy machine."""
    resolve_pid = processes.resolve_pid

    def late(number: int, descriptors: list[int]) -> int:
        for descriptor in descriptors:
            os.close(descriptor)
        return resolve_pid(number, [ended()])

    program = "import time\ndef f():\n    time.sleep(0.4)\n    return 3\n"
    with driver.submission(assignment(), (source(program),)) as server:
        monkeypatch.setattr(processes, "resolve_pid", late)
        seen = server.observe(call("f()"), Limits(cpu_seconds=0.1))
    assert (seen.ending, plain(seen.value)) == (Ending.ANSWERED, "3")
