"""The shared run, seen from the driver: many scenarios of one program in one confined process.

What comes back is bytes in one canonical form; `canonical` gives the same form of an observation,
so that the two can be compared without being read. `decoded` reads them.
"""

from harness.execution.shared.canonical import canonical, decoded
from harness.execution.shared.group import (
    CPU_SHARE,
    Attempts,
    Keep,
    SharedGroup,
    SharedJob,
    SharedOutcome,
    may_share,
)

__all__ = [
    "CPU_SHARE",
    "Attempts",
    "Keep",
    "SharedGroup",
    "SharedJob",
    "SharedOutcome",
    "canonical",
    "decoded",
    "may_share",
]
