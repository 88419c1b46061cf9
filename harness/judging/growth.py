"""How the number of executed lines grows with the size of the input.

Each size is twice the one before. With L1, L2, L3 lines for the last three sizes, the steps L2 - L1
and L3 - L2 hold no constant part, and log2 of their ratio is the power with which the count grows:
1 for a loop over the input, 2 for a loop within it. The logarithm of n log n adds between 0.08
(at a hundred thousand) and 0.2 (at fifty).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

from harness.model.plan import Growth

# The greatest power that still counts as this growth.
MAX_POWER = {Growth.LINEAR: 1.06, Growth.N_LOG_N: 1.35, Growth.QUADRATIC: 2.25}


def power(lines: Sequence[int]) -> float:
    """Return the power with which these counts grow, of at least three sizes. Zero: not at all."""
    before, middle, last = lines[-3:]
    step = last - middle
    if step <= 0:
        return 0.0
    earlier = middle - before
    if earlier <= 0:  # it began to grow only now
        return log2(last / max(1, middle))
    return max(0.0, log2(step / earlier))


def grows_within(asked: Growth, lines: Sequence[int]) -> bool:
    """Return whether these counts grow as asked, or less."""
    return power(lines) <= MAX_POWER[asked]
