"""The shared run, seen from the driver: many scenarios of one program in one confined process.

What comes back is bytes in one canonical form; `canonical` gives the same form of an observation,
so that the two can be compared without being read.
"""

from harness.execution.shared.canonical import canonical
from harness.execution.shared.group import SharedGroup, SharedJob, SharedOutcome, may_share

__all__ = ["SharedGroup", "SharedJob", "SharedOutcome", "canonical", "may_share"]
