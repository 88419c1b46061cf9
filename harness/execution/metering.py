"""Measures the CPU time that a submission costs besides its scenarios' processes: its server,
which compiles it, the course's functions that it calls, and our functions that read it. Also
measures how long processes waited for a CPU.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

OWN_SCHEDSTAT = Path("/proc/thread-self/schedstat")


@dataclass(slots=True)
class CpuMeter:
    """A sum of CPU seconds.

    The scenarios' own processes are not included: observations have their time.
    """

    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        self.seconds += max(0.0, seconds)


def queued(schedstat: Path) -> float | None:
    """Return the seconds that a process or thread has waited for a CPU; None if the system does
    not count them.
    """
    try:
        return int(schedstat.read_text("ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return None


def own_queued() -> float:
    """Return the seconds that this thread has waited for a CPU; 0 if the system does not count
    them.
    """
    return queued(OWN_SCHEDSTAT) or 0.0
