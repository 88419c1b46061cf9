"""Scenarios that may share a process, packed once for all submissions of a run; and
which to run there again after some of a submission's gave up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from harness.model.stimulus import Stimulus

# Of a scenario's own CPU limit: what takes longer is observed in a process of its own. A right
# program needs less than a hundredth; one that loops pays for each attempt.
CPU_SHARE = 0.03
LOADING_CPU_SHARE = 0.1
_MOST_LINE = 4000  # bytes; a terminal takes no line over 4,095
_MOST_IN_VAIN = 2
MOST_REPORTED = 32 * 1024 * 1024  # bytes; a right program reports much less


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedJob:
    """One stimulus as `inside.shared.run` reads it. `arguments` as in `PackedStimulus`."""

    packed: bytes
    arguments: int | None


@dataclass(slots=True, kw_only=True)
class SharedGroup:
    """Stimuli by number, of one set of constants and provided files (`selection`).

    `cpu_seconds`, `wall_seconds` and `memory_mib` are the greatest limits of any of them.
    """

    selection: object
    jobs: dict[int, SharedJob] = field(default_factory=dict)
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    memory_mib: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedOutcome:
    """What one group's run gave: canonical bytes by number, or why the program is `refused` a
    shared process ("`board`, a list at module level,": what was `changed_by` that number).
    `gave_up` are the numbers that ended their process; what is in neither did not run."""

    seen: Mapping[int, bytes]
    gave_up: frozenset[int] = frozenset()
    refused: str = ""
    changed_by: int | None = None


def may_share(stimulus: Stimulus) -> bool:
    """Whether a stimulus can be given without a terminal: no stand-ins, no folder of its own, no
    pipe, no keys, and no lines with characters that a terminal may act on."""
    if stimulus.stand_ins or stimulus.folder or stimulus.replies or stimulus.environment:
        return False
    if stimulus.stdin is not None:
        return False
    return all(
        typed.key is None and typed.text.isprintable() and len(typed.text.encode()) < _MOST_LINE
        for typed in stimulus.inputs
    )


class Attempts:
    """What one submission's shared processes have shown so far.

    A stimulus that gives up ends its process and costs a new one. A program that loops does so in
    many stimuli of the same subject, a function as a rule: they come last, and once two have given
    up and none was seen to its end, they are not tried again.

    Reports are kept up to `most` bytes in all: what would be more counts as not seen.
    """

    def __init__(
        self,
        subject_of: Callable[[int], Hashable] = lambda number: number,
        most: int = MOST_REPORTED,
    ) -> None:
        """`subject_of` says what the stimulus of a number is about."""
        self._subject_of = subject_of
        self._bytes_left = most
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

    def keeps(self, report: bytes) -> bool:
        """Whether one more report stays within the bound; if so it is counted."""
        if len(report) > self._bytes_left:
            return False
        self._bytes_left -= len(report)
        return True

    def _is_in_vain(self, number: int) -> bool:
        subject = self._subject_of(number)
        return self._gave_up[subject] >= _MOST_IN_VAIN and subject not in self._seen
