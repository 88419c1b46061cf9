"""How long a process has computed, and how long it was asleep, whatever else the machine does."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

_SCHEDULED = 2  # the kernel's name for "CPU time by the scheduler" in a clock id
_LOADED_MACHINE = 10  # without the kernel's count: how much slower than real time a CPU second is


class ProcessClock:
    """The clocks of another process; seconds. It may end at any time: then they stand still."""

    def __init__(self, pid: int) -> None:
        self._clock = (~pid << 3) | _SCHEDULED
        self._schedstat = Path(f"/proc/{pid}/schedstat")
        self._cpu = 0.0

    def cpu(self) -> float:
        """CPU time used."""
        with contextlib.suppress(OSError):
            self._cpu = time.clock_gettime(self._clock)
        return self._cpu

    def asleep(self, elapsed: float) -> float:
        """Of `elapsed` seconds of its life, those it neither ran nor waited for a CPU."""
        cpu = self.cpu()
        try:
            queued = int(self._schedstat.read_text("ascii").split()[1]) / 1e9
        except (OSError, ValueError, IndexError):
            return elapsed / _LOADED_MACHINE
        return elapsed - cpu - queued
