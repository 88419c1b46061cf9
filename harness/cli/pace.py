"""How long the rest of a batch takes, by how fast it went lately."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

RECENT = 50  # submissions: about a minute of connect4ish on two cores
FEWEST = 5  # before anything is said


class Pace:
    """Told of each submission that was graded now; what was kept from before says nothing of how
    long the others take. `clock` gives seconds."""

    def __init__(self, todo: int, clock: Callable[[], float]) -> None:
        self._todo = todo
        self._clock = clock
        self._moments = deque([clock()], maxlen=RECENT + 1)

    def done(self) -> None:
        """One more is graded."""
        self._todo -= 1
        self._moments.append(self._clock())

    def left(self) -> float | None:
        """Seconds that the rest takes at the recent rate; None before there is one. Grows while
        nothing is done."""
        recent = len(self._moments) - 1
        if recent < min(FEWEST, self._todo):
            return None
        passed = self._clock() - self._moments[0]
        return self._todo * passed / recent if recent else 0.0

    def text(self) -> str:
        """`about 12 min left`; empty where there is nothing to say."""
        seconds = self.left()
        return f"about {rounded(seconds)} left" if seconds is not None and self._todo > 0 else ""


def rounded(seconds: float) -> str:
    """A duration as exact as an estimate may be: `40 s`, `12 min`, `2 h 10 min`."""
    if seconds < 55:
        return f"{max(10, 10 * round(seconds / 10))} s"
    minutes = max(1, round(seconds / 60))
    if minutes < 90:
        return f"{minutes} min"
    tens = 10 * round(minutes / 10)
    return f"{tens // 60} h {tens % 60} min" if tens % 60 else f"{tens // 60} h"
