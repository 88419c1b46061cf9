"""Parts what came out of a terminal into loading, steps and turns."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.model.observation import Turn
from harness.model.stimulus import Typed


@dataclass(slots=True)
class Screen:
    """The raw bytes, in order, and where between them something was typed.

    The program's side writes `mark` (a secret of this scenario) where loading ends and where each
    session step ends; `most_marks` of them count, any other is text.
    """

    mark: bytes
    most_marks: int
    raw: bytearray = field(default_factory=bytearray)
    typed: list[tuple[int, Typed]] = field(default_factory=list)
    _loaded: bool = False

    def marks(self) -> list[int]:
        """Where the marks are."""
        places: list[int] = []
        start = 0
        while len(places) < self.most_marks:
            place = self.raw.find(self.mark, start)
            if place < 0:
                break
            places.append(place)
            start = place + len(self.mark)
        return places

    @property
    def loaded(self) -> bool:
        """Whether the submission's body has run."""
        if not self._loaded:
            self._loaded = self.mark in self.raw
        return self._loaded

    def exceeds(self, limit: int) -> bool:
        """Whether more than `limit` bytes were printed."""
        if len(self.raw) <= limit:
            return False
        return len(self.raw) - len(self.marks()) * len(self.mark) > limit

    def parts(self, limit: int) -> tuple[str, list[tuple[Turn, ...]]]:
        """What was printed while loading, and the turns of each part after it, cut to `limit`
        bytes in all."""
        places = self.marks()
        starts = [0, *[place + len(self.mark) for place in places]]
        ends = [*places, len(self.raw)]
        left = limit
        parts: list[tuple[Turn, ...]] = []
        for start, end in zip(starts, ends, strict=True):
            stop = min(end, start + left)
            left -= stop - start
            parts.append(self._turns(start, stop, end))
        loading = "".join(turn.printed for turn in parts[0])
        return loading, parts[1:]

    def _turns(self, start: int, stop: int, end: int) -> tuple[Turn, ...]:
        turns: list[Turn] = []
        at = start
        for place, typed in self.typed:
            if start <= place <= end:
                turns.append(Turn(printed=self._text(at, min(place, stop)), typed=typed))
                at = max(at, min(place, stop))
        turns.append(Turn(printed=self._text(at, stop)))
        return tuple(turns)

    def _text(self, start: int, stop: int) -> str:
        return bytes(self.raw[start:stop]).decode("utf-8", "backslashreplace")


def joined(parts: list[tuple[Turn, ...]]) -> tuple[Turn, ...]:
    """The turns of several parts as one conversation."""
    if len(parts) == 1:
        return parts[0]
    turns: list[Turn] = []
    printed = ""
    for part in parts:
        for turn in part:
            printed += turn.printed
            if turn.typed is not None:
                turns.append(Turn(printed=printed, typed=turn.typed))
                printed = ""
    turns.append(Turn(printed=printed))
    return tuple(turns)
