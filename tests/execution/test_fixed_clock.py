"""A fixed clock: what programs read of the time of day, in every kind of process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import harness
from harness.assignment.scenarios.stimulus import read_clock
from harness.execution import AnyDriver, Driver, Interpreter
from harness.execution.piped import PipedDriver
from harness.execution.sharing import may_share
from harness.model.observation import Tier
from harness.model.stimulus import Limits, Stimulus
from harness.stimuli.run import Run
from tests.execution.small_world import call, observe, plain

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


def test_what_runs_the_reference_again_moves_no_fixed_clock(interpreter: Interpreter) -> None:
    with Driver(interpreter, Tier.STANDARD, clock_offset=200 * 86_400) as moved:
        seen = readings(moved, PROGRAM, call("f()", clock=NOON))
        assert dict(zip(READINGS, seen, strict=True)) == READINGS
        program = (
            "from datetime import date\ndef f():\n"
            "    return [type(date.today()) is date, repr(date(2024, 2, 3))]\n"
        )
        expected = ["True", "'datetime.date(2024, 2, 3)'"]
        assert readings(moved, program, call("f()")) == expected


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
    given = "from datetime import date\nday = str(date.today())\n"
    assert readings(one_driver, program, call("f(day)", given=given, clock=NOON)) == [
        "'2026-03-01'"
    ]


def test_a_scenario_with_a_clock_has_a_process_of_its_own() -> None:
    assert may_share(call("f(1)"))
    assert not may_share(call("f(1)", clock=NOON))


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
