"""How long took what ran into a limit on time, beside what is allowed and what the reference needs:
in steps so coarse that they are the same on every machine."""

from harness.model.observation import Ending, Observation
from harness.model.stimulus import Limits
from harness.model.verdict import TimeTaken

_STEPS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # seconds


def time_taken(
    seen: Observation, limits: Limits, reference: Observation | None
) -> TimeTaken | None:
    """Return how long it took; None without a time limit that was reached, or if that was
    shortened.
    """
    if seen.ending is Ending.TIMEOUT:
        return TimeTaken(allowed=limits.wall_seconds, waiting=True)
    if seen.ending is not Ending.CPU_LIMIT:
        return None
    return TimeTaken(
        allowed=limits.cpu_seconds,
        less_than=2 * limits.cpu_seconds if seen.ends_in_double else None,
        reference_less_than=None if reference is None else _step_above(reference.cpu_seconds),
    )


def _step_above(seconds: float) -> float | None:
    return next((step for step in _STEPS if seconds < step), None)
