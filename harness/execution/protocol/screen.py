"""The output of a terminal, split into loading, session steps and turns."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from harness.model.observation import Turn
from harness.model.stimulus import Session, Stimulus, Typed

_SENTINEL_BYTES = 16


@dataclass(slots=True)
class ScreenParser:
    """The raw bytes, in order, and where between them something was typed.

    Our side of the process writes `sentinel` (a secret of this scenario) where loading ends and
    where each session step ends; `most_sentinels` of them count, any other is text.
    """

    sentinel: bytes
    most_sentinels: int
    raw: bytearray = field(default_factory=bytearray)
    typed: list[tuple[int, Typed]] = field(default_factory=list)
    _loaded: bool = False

    def sentinels(self) -> list[int]:
        """The sentinels' places in `raw`, in order."""
        places: list[int] = []
        start = 0
        while len(places) < self.most_sentinels:
            place = self.raw.find(self.sentinel, start)
            if place < 0:
                break
            places.append(place)
            start = place + len(self.sentinel)
        return places

    @property
    def loaded(self) -> bool:
        """Whether the submission's body has run."""
        if not self._loaded:
            self._loaded = self.sentinel in self.raw
        return self._loaded

    def turns_so_far(self) -> list[str]:
        """What was printed before each input since the body has run, and what is there now."""
        places = self.sentinels()
        start = places[0] + len(self.sentinel) if places else len(self.raw)
        texts: list[str] = []
        for place in [*(place for place, _ in self.typed), len(self.raw)]:
            data = bytes(self.raw[start:place]).replace(self.sentinel, b"")
            texts.append(data.decode("utf-8", "replace"))
            start = place
        return texts

    def exceeds(self, limit: int) -> bool:
        """Whether more than `limit` bytes were printed."""
        if len(self.raw) <= limit:
            return False
        return len(self.raw) - len(self.sentinels()) * len(self.sentinel) > limit

    def parts(self, limit: int) -> tuple[str, list[tuple[Turn, ...]]]:
        """What was printed while loading, and the turns of each part after it, cut to `limit`
        bytes in all."""
        places = self.sentinels()
        starts = [0, *[place + len(self.sentinel) for place in places]]
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
        return _decoded(bytes(self.raw[start:stop]))


_UNDECODED = re.compile("[\udc80-\udcff]+")


def _decoded(data: bytes) -> str:
    """As "backslashreplace" has it, which takes a second for a megabyte that is no UTF-8."""
    return _UNDECODED.sub(_escaped, data.decode("utf-8", "surrogateescape"))


def _escaped(found: re.Match[str]) -> str:
    return "\\x" + found[0].encode("utf-8", "surrogateescape").hex("|").replace("|", "\\x")


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


def sentinels_in(stimulus: Stimulus) -> int:
    """How many sentinels its process writes: after loading, and after each session step."""
    action = stimulus.action
    return 1 + (len(action.steps) if isinstance(action, Session) else 0)


def scenario_screen(stimulus: Stimulus) -> ScreenParser:
    """An empty screen with a new sentinel for this stimulus."""
    return ScreenParser(sentinel=os.urandom(_SENTINEL_BYTES), most_sentinels=sentinels_in(stimulus))


def plain_screen() -> ScreenParser:
    """An empty screen of a process that writes no sentinel."""
    return ScreenParser(sentinel=b"\0", most_sentinels=0)
