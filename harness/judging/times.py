"""Describes how long a program ran that reached a time limit, next to the limit and the
reference's time.

Times are rounded so coarsely that every machine reports the same.
"""

from harness.model.observation import Ending, Observation
from harness.model.stimulus import Limits
from harness.model.verdict import TimeTaken

_STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # seconds


def time_taken(
    observation: Observation, limits: Limits, reference: Observation | None
) -> TimeTaken | None:
    """Return the time a program took; None if it reached no time limit, or only a lowered one."""
    if observation.ending is Ending.TIMEOUT:
        return TimeTaken(allowed=limits.wall_seconds, waiting=True)
    if observation.ending is not Ending.CPU_LIMIT:
        return None
    less_than: float | None = None
    if observation.ends_in_double:
        less_than = 2 * limits.cpu_seconds
    reference_less_than: float | None = None
    if reference is not None:
        reference_less_than = _step_above(reference.cpu_seconds)
    return TimeTaken(
        allowed=limits.cpu_seconds,
        less_than=less_than,
        reference_less_than=reference_less_than,
    )


def _step_above(seconds: float) -> float | None:
    for step in _STEPS:
        if seconds < step:
            return step
    return None
