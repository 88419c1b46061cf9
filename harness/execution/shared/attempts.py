"""Which stimuli to run in a shared process again after some of a submission's gave up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

_MOST_IN_VAIN = 2


class Attempts:
    """What one submission's shared processes have shown so far.

    A stimulus that gives up ends its process and costs a new one. A program that loops does so in
    many stimuli of the same subject, a function as a rule: they come last, and once two have given
    up and none was seen to its end, they are not tried again.
    """

    def __init__(self, subject_of: Callable[[int], Hashable] = lambda number: number) -> None:
        """`subject_of` says what the stimulus of a number is about."""
        self._subject_of = subject_of
        self._gave_up: Counter[Hashable] = Counter()
        self._seen: set[Hashable] = set()

    def worthwhile(self, numbers: Iterable[int]) -> list[int]:
        """Those to run, in this order but for what may give up."""
        worth = [number for number in numbers if not self._is_in_vain(number)]
        return sorted(worth, key=lambda number: self._gave_up[self._subject_of(number)])

    def record(self, seen: Iterable[int], gave_up: Sequence[int]) -> None:
        """Take note of what one process has shown."""
        self._seen.update(map(self._subject_of, seen))
        self._gave_up.update(map(self._subject_of, gave_up))

    def _is_in_vain(self, number: int) -> bool:
        subject = self._subject_of(number)
        return self._gave_up[subject] >= _MOST_IN_VAIN and subject not in self._seen
