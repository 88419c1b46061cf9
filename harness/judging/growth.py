"""Measures how the number of executed lines grows with the size of the input.

Each size is twice the previous one. With L1, L2, L3 lines for the last three sizes, L2 - L1 and L3
- L2 contain no constant part. log2 of their ratio is the power with which the count grows: 1 for a
loop over the input, 2 for two nested loops. For n log n, the logarithm adds between 0.08 (size
100,000) and 0.2 (size 50).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

from harness.model.plan import Growth

# Largest exponent accepted for each kind of growth.
MAX_POWER = {Growth.LINEAR: 1.06, Growth.N_LOG_N: 1.35, Growth.QUADRATIC: 2.25}


def power(lines: Sequence[int]) -> float:
    """Return the exponent with which these counts grow (at least three sizes); 0 if they do not
    grow.
    """
    before, middle, last = lines[-3:]
    step = last - middle
    if step <= 0:
        return 0.0
    earlier = middle - before
    if earlier <= 0:  # the count did not grow before
        return log2(last / max(1, middle))
    return max(0.0, log2(step / earlier))


def grows_within(asked: Growth, lines: Sequence[int]) -> bool:
    """Return whether these counts grow at most as fast as `asked`."""
    return power(lines) <= MAX_POWER[asked]
