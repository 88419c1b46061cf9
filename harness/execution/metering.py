"""Counts the cost of a submission's processes besides its scenarios' own: its server, which
compiles it, the functions that answer in its place, and our own functions that read it. And how
long processes waited for a processor, by the kernel's count."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

OWN_SCHEDSTAT = Path("/proc/thread-self/schedstat")


@dataclass(slots=True)
class CpuMeter:
    """A sum of CPU seconds, which only grows. Observations hold those of the scenarios' own
    processes, which are not in it."""

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
