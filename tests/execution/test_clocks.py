"""Limits on time are looked at whatever a process sends, and nothing outlives the driver."""

from __future__ import annotations

import time

import pytest

from harness.execution import Driver
from harness.model.observation import Ending
from harness.model.stimulus import Limits
from tests.execution.small_world import call, observe

ASKS_WITHOUT_END = {
    "reads nothing": "import os\ndef f():\n    while True: os.read(0, 0)\n",
    "looks": "import select\ndef f():\n    while True: select.select([0], [], [], 0)\n",
    "polls": (
        "import select\ndef f():\n    p = select.poll()\n    p.register(0)\n"
        "    while True: p.poll(0)\n"
    ),
}


@pytest.mark.parametrize("name", ASKS_WITHOUT_END)
def test_asking_without_end_runs_into_a_limit(one_driver: Driver, name: str) -> None:
    limits = Limits(cpu_seconds=0.5, wall_seconds=1.5, output_kib=8)
    begun = time.monotonic()
    seen = observe(one_driver, ASKS_WITHOUT_END[name], call("f()", "one", "two"), limits)
    assert seen.ending in (Ending.CPU_LIMIT, Ending.TIMEOUT)
    assert seen.cpu_seconds < limits.cpu_seconds + 0.5
    assert time.monotonic() - begun < 60  # whatever the load: without a look it never ends
