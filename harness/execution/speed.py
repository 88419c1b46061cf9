"""Measures how fast this machine is, so that limits on CPU time mean the same on every machine."""

from __future__ import annotations

import os
import time

VARIABLE = "HARNESS_MACHINE_SPEED"  # for tests: this many times slower than the usual machine
_NOMINAL = 0.004  # seconds that the workload takes on the machine that limits are for
_TRIES = 5
# Coarse, so that the next measurement finds the same: no limit is more than a quarter off.
STEPS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0)


def machine_slowness() -> float:
    """Return how many times slower than the usual machine this one is, rounded to one of a few
    steps. The result is the CPU time of the fastest of several runs of a fixed workload.
    """
    stated = os.environ.get(VARIABLE, "")
    if stated:
        return float(stated)
    measured = min(_try() for _ in range(_TRIES)) / _NOMINAL
    return min(STEPS, key=lambda step: abs(step - measured) / step)


def _try() -> float:
    begun = time.thread_time()
    _workload()
    return time.thread_time() - begun


def _workload() -> str:
    """Run typical work of beginners' programs: numbers, texts, lists, a dictionary."""
    total = 0
    texts: list[str] = []
    counts: dict[int, int] = {}
    for number in range(20_000):
        total += number * number % 7
        texts.append(str(number))
        counts[number % 100] = counts.get(number % 100, 0) + 1
    return max(texts) + str(total) + str(len(counts))
