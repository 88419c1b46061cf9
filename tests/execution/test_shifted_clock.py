"""A server with another clock: programs read that, and nothing else changes."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

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


@pytest.mark.parametrize("name", ["by_time", "by_datetime", "by_date", "by_parts"])
def test_a_program_reads_the_shifted_clock(name: str) -> None:
    interpreter = find_interpreter("3.12")
    assignment = plans.assignment(
        id="clock",
        functionality_marks=Fraction(1),
        functions=(FunctionSignature(name=name, parameters=()),),
    )
    files = (SourceFile(name="a1.py", data=PROGRAM),)
    tier = choose_tier(interpreter).tier
    with (
        Driver(interpreter, tier, clock_offset=200 * DAY) as driver,
        driver.submission(assignment, files) as server,
    ):
        observation = server.observe(Stimulus(action=Call(expression=f"{name}()")), Limits())
    assert observation.value is not None, observation
    assert abs(float(observation.value.text) - time.time() - 200 * DAY) < 2 * DAY
