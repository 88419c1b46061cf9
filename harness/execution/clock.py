"""How long a process has computed, and how long it was asleep, whatever else the machine does."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

_SCHEDULED = 2  # the kernel's name for "CPU time by the scheduler" in a clock id
_LOADED_MACHINE = 10  # without the kernel's count: how much slower than real time a CPU second is
_OWN_SCHEDSTAT = Path("/proc/thread-self/schedstat")
_STATE, _BORN = 0, 19  # places in /proc/PID/stat after the name


class ProcessClock:
    """The clocks of another process; seconds. It may end at any time: then they stand still."""

    def __init__(self, pid: int) -> None:
        self._clock = (~pid << 3) | _SCHEDULED
        self._schedstat = Path(f"/proc/{pid}/schedstat")
        self._stat = Path(f"/proc/{pid}/stat")
        self._cpu = 0.0
        self._asleep = 0.0
        self._own_queued = _queued(_OWN_SCHEDSTAT)

    def cpu(self) -> float:
        """CPU time used."""
        with contextlib.suppress(OSError):
            self._cpu = time.clock_gettime(self._clock)
        return self._cpu

    def asleep(self, elapsed: float) -> float:
        """Of `elapsed` seconds of its life at most, those it neither ran nor waited for a CPU; nor
        we, who may keep it waiting."""
        cpu = self.cpu()
        queued = _queued(self._schedstat)
        if queued is None:
            return elapsed / _LOADED_MACHINE
        runnable, age = self._state()
        # How long it has been waiting for a CPU now is counted only once it has got one.
        if not runnable:
            ours = (_queued(_OWN_SCHEDSTAT) or 0.0) - (self._own_queued or 0.0)
            self._asleep = min(elapsed, age) - cpu - queued - ours
        return self._asleep

    def _state(self) -> tuple[bool, float]:
        """Whether it runs or would if it could, and how long ago it was born."""
        try:
            fields = self._stat.read_text("utf-8", "replace").rpartition(")")[2].split()
            born = int(fields[_BORN]) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError):
            return False, float("inf")
        return fields[_STATE] == "R", time.clock_gettime(time.CLOCK_BOOTTIME) - born


def _queued(schedstat: Path) -> float | None:
    """The seconds a process or thread has waited for a CPU; None where that is not counted."""
    try:
        return int(schedstat.read_text("ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return None
