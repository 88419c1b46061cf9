"""A server with another clock: programs read that, and nothing else changes."""

from __future__ import annotations

import time

from harness.execution import Driver, choose_tier, find_interpreter
from harness.model.assignment import FunctionSignature, SourceFile
from harness.model.stimulus import Call, Limits, Stimulus
from tests import plans

DAY = 86_400
PROGRAM = b"""
import datetime
import time

def by_time():
    return time.time()

def by_datetime():
    return datetime.datetime.now().timestamp()

def by_date():
    today = datetime.date.today()
    return datetime.datetime(today.year, today.month, today.day, 12).timestamp()

def by_parts():
    return time.mktime(time.localtime())
"""


def test_a_program_reads_the_shifted_clock() -> None:
    interpreter = find_interpreter("3.12")
    names = ("by_time", "by_datetime", "by_date", "by_parts")
    assignment = plans.assignment(
        functions=tuple(FunctionSignature(name=name, parameters=()) for name in names),
    )
    files = (SourceFile(name="a1.py", data=PROGRAM),)
    with (
        Driver(interpreter, choose_tier(interpreter).tier, clock_offset=200 * DAY) as driver,
        driver.submission(assignment, files) as server,
    ):
        for name in names:
            seen = server.observe(Stimulus(action=Call(expression=f"{name}()")), Limits())
            assert seen.value is not None, (name, seen)
            assert abs(float(seen.value.text) - time.time() - 200 * DAY) < 2 * DAY, name
