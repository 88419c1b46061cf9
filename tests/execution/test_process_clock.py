"""Time asleep is not time spent waiting for a processor."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from harness.execution.linux.kernel import ProcessClock

IDLE = "import os; os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)); print(flush=True)\n"
COMPUTE = "while True: pass"
WATCHED = 1.5  # seconds
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
