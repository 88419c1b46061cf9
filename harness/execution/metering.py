"""Counts the cost of a submission's processes besides its scenarios' own: its server, which
compiles it, the functions that answer in its place, and our own functions that read it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class CpuMeter:
    """A sum of CPU seconds, which only grows. Observations hold those of the scenarios' own
    processes, which are not in it."""

    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        self.seconds += max(0.0, seconds)
