"""Limits on time are looked at whatever a process sends, and where the one who watches stood still;
time asleep is not time spent waiting for a processor; nothing outlives the driver; processes told
of by descriptors; a fixed clock: what programs read of the time of day, in every kind of process.
"""

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

import harness
from harness.assignment.scenarios.stimulus import read_clock
from harness.execution import AnyDriver, Driver, Interpreter
from harness.execution.linux import monitor, processes
from harness.execution.linux.monitor import ScenarioClock
from harness.execution.linux.processes import ProcessClock
from harness.execution.piped import PipedDriver
from harness.model.observation import Ending, Tier
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.run import Run
from tests.execution import children
from tests.execution.small_world import assignment, call, observe, plain, source
from tests.hostile.hostile_machine import below


def test_looking_for_input_without_end_runs_into_a_limit(one_driver: Driver) -> None:
    """Whoever reads or polls without end is in the hostile corpus."""
    program = "import select\ndef f():\n    while True: select.select([0], [], [], 0)\n"
    limits = Limits(cpu_seconds=0.2, wall_seconds=1.5, output_kib=8)
    begun = time.monotonic()
    seen = observe(one_driver, program, call("f()", "one", "two"), limits)
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
def test_a_pause_of_the_machine_does_not_count_as_sleep(
    watch: Watch, delays: list[float], own_cpu: float, least: float, most: float
) -> None:
    assert least - 1e-6 < watch.seconds_to_timeout(*delays, own_cpu=own_cpu) < most + 1e-6


def test_nothing_is_excluded_twice(watch: Watch) -> None:
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


NOON = read_clock("2026-03-01T12:00:00+10:00", "")
SECONDS = float(NOON.seconds)
READINGS = {
    "str(date.today())": "'2026-03-01'",
    "str(datetime.date.today())": "'2026-03-01'",
    "str(dt.now())": "'2026-03-01 12:00:00'",
    "str(dt.today())": "'2026-03-01 12:00:00'",
    "str(dt.utcnow())": "'2026-03-01 02:00:00'",
    "str(dt.now(datetime.timezone.utc))": "'2026-03-01 02:00:00+00:00'",
    "str(dt.now(tz=None))": "'2026-03-01 12:00:00'",
    "str(dt.now().astimezone())": "'2026-03-01 12:00:00+10:00'",
    "str(dt.fromtimestamp(0))": "'1970-01-01 10:00:00'",
    "time.time()": f"{SECONDS}",
    "time.time_ns()": f"{int(SECONDS)}000000000",
    "time.clock_gettime(time.CLOCK_REALTIME)": f"{SECONDS}",
    "time.clock_gettime_ns(time.CLOCK_REALTIME)": f"{int(SECONDS)}000000000",
    "time.ctime()": "'Sun Mar  1 12:00:00 2026'",
    "time.ctime(0)": "'Thu Jan  1 10:00:00 1970'",
    "time.asctime()": "'Sun Mar  1 12:00:00 2026'",
    "time.strftime('%H:%M %z')": "'12:00 +1000'",
    "tuple(time.localtime())[:5]": "(2026, 3, 1, 12, 0)",
    "tuple(time.gmtime())[:5]": "(2026, 3, 1, 2, 0)",
    "tuple(time.gmtime(0))[:3]": "(1970, 1, 1)",
    "time.tzname[0]": "'+10'",
    # the classes are Python's own, and so are objects of them
    "type(dt.now()) is dt is datetime.datetime": "True",
    "type(date.today()) is date is datetime.date": "True",
    "type(dt.now()).__name__, dt.__module__": "('datetime', 'datetime')",
    "isinstance(dt.now(), date), isinstance(date.today(), dt)": "(True, False)",
    "Later.now().year, type(Later.now()) is Later, type(Later.today()) is Later": (
        "(2026, True, True)"
    ),
    "dt.now() == dt.now(), repr(date.today())": "(True, 'datetime.date(2026, 3, 1)')",
    "time.monotonic() < 1e9, time.perf_counter() < 1e9": "(True, True)",
    "nap()": "(0.25, True)",
}
PROGRAM = (
    """\
import datetime, time
from datetime import date, datetime as dt
class Later(dt):
    pass
def nap():
    before, began = time.time(), time.monotonic()
    time.sleep(0.25)
    return time.time() - before, time.monotonic() - began > 0.2
def f():
    return [
"""
    + "".join(f"        ({expression}),\n" for expression in READINGS)
    + "    ]\n"
)


def readings(driver: AnyDriver, program: str, stimulus: Stimulus) -> list[str | None]:
    seen = observe(driver, program, stimulus, Limits())
    assert seen.value is not None, seen
    return [plain(value) for value in seen.value.items]


def test_a_program_reads_a_clock_that_stands_still(driver: Driver, pipes: PipedDriver) -> None:
    for way in (driver, pipes):
        seen = readings(way, PROGRAM, call("f()", clock=NOON))
        assert dict(zip(READINGS, seen, strict=True)) == READINGS


def test_running_the_reference_again_moves_no_fixed_clock(interpreter: Interpreter) -> None:
    with Driver(interpreter, Tier.STANDARD, clock_offset=200 * 86_400) as moved:
        seen = readings(moved, PROGRAM, call("f()", clock=NOON))
        assert dict(zip(READINGS, seen, strict=True)) == READINGS
        program = (
            "from datetime import date\ndef f():\n"
            "    return [type(date.today()) is date, repr(date(2024, 2, 3))]\n"
        )
        assert readings(moved, program, call("f()")) == ["True", "'datetime.date(2024, 2, 3)'"]


@pytest.mark.parametrize(
    ("clock", "shown"),
    [
        ("2026-03-01T12:00:00+00:00", "2026-03-01 12:00:00 UTC"),
        ("2026-03-01T12:00:00-03:30", "2026-03-01 12:00:00 -0330"),
        ("2026-03-01T12:00:00+05:45", "2026-03-01 12:00:00 +0545"),
        ("1970-01-01T00:00:00-11:00", "1970-01-01 00:00:00 -11"),
        ("2199-12-31T23:59:59+13:00", "2199-12-31 23:59:59 +13"),
    ],
)
def test_it_is_the_time_of_its_zone(one_driver: Driver, clock: str, shown: str) -> None:
    program = "import time\ndef f():\n    return [time.strftime('%Y-%m-%d %H:%M:%S %Z')]\n"
    assert readings(one_driver, program, call("f()", clock=read_clock(clock, ""))) == [repr(shown)]


def test_a_program_as_main_and_what_is_given_read_it_too(one_driver: Driver) -> None:
    program = "from datetime import date\nprint(date.today())\ndef f(day):\n    return [day]\n"
    main = Stimulus(action=Run(program="a1.py"), clock=NOON)
    assert observe(one_driver, program, main, Limits()).printed == "2026-03-01\n"
    gives = "from datetime import date\nday = str(date.today())\n"
    asked = call("f(day)", given=gives, clock=NOON)
    assert readings(one_driver, program, asked) == ["'2026-03-01'"]


WITHOUT_ZONES = """\
import time
del time.tzset
from harness.execution.inside.clock import stand_still
stand_still({seconds}, 36_000)
import datetime
print(datetime.datetime.now(), time.strftime("%H:%M"), time.time_ns() % 10**9)
"""


def test_where_a_process_cannot_choose_its_zone_the_clock_is_right_in_the_one_there() -> None:
    program = WITHOUT_ZONES.format(seconds=NOON.seconds)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TZ": "America/New_York"},
        cwd=Path(harness.__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("2026-03-01 12:00:00 12:00 0\n", "")
