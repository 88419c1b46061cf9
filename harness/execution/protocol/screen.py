"""Records a process's output and the places in it at which input was typed."""

import os
import re
from dataclasses import dataclass, field

from harness.model.observation import Turn
from harness.model.stimulus import Stimulus, Typed

_SENTINEL_BYTES = 16
# Several times a program's output before its loop is found, which is after half a second of CPU
# time: lines of 40 characters are 2 MiB, of 300 characters 12. More would take us long to read.
_MAX_DISCARDED = 64 * 1024 * 1024


@dataclass(slots=True)
class ScreenParser:
    """Collects the printed bytes and the positions of typed lines.

    Our code in the process prints `sentinel` (a secret of this scenario) when the submission is
    loaded and after each session step, at most `most_sentinels` times; any further one counts as
    text. If `prompt_mark` is used, it is printed before the prompt of each `input` call.
    """

    sentinel: bytes
    most_sentinels: int
    may_discard: int = 0
    prompt_mark: bytes = b""
    raw: bytearray = field(default_factory=bytearray)
    typed: list[tuple[int, Typed]] = field(default_factory=list)
    _loaded: bool = False
    _kept: int = 0  # bytes, once it discards the rest

    def remember(self, typed: Typed) -> None:
        """Note that `typed` was typed after the output received so far."""
        self.typed.append((len(self.raw), typed))

    @property
    def loaded(self) -> bool:
        """Return whether the submission's body has run, which the first sentinel shows."""
        if not self._loaded:
            self._loaded = self.sentinel in self.raw
        return self._loaded

    def exceeds(self, limit: int) -> bool:
        """Return whether more than `limit` bytes were printed.

        Bytes over the limit that may be discarded are dropped here and do not count.
        """
        more = len(self.raw) - (self._kept or limit)
        if more > 0 and not self._kept:
            sentinels = min(self.raw.count(self.sentinel), self.most_sentinels)
            more -= sentinels * len(self.sentinel)
            more -= self._size_of_marks()
        if more <= 0 or more > self.may_discard:
            return more > 0
        del self.raw[-more:]
        self._kept = len(self.raw)
        self.may_discard -= more
        return False

    def parts(self, limit: int) -> tuple[str, list[tuple[Turn, ...]]]:
        """Return the output while loading, and the turns of input and output of each later part,
        cut to `limit` bytes.
        """
        start, left = 0, limit + self._size_of_marks()
        parts: list[tuple[Turn, ...]] = []
        for text in self.raw.split(self.sentinel, self.most_sentinels):
            shown = min(len(text), left)
            left -= shown
            parts.append(self._turns(start, start + shown, start + len(text)))
            start += len(text) + len(self.sentinel)
        return "".join(turn.printed for turn in parts[0]), parts[1:]

    def _turns(self, start: int, stop: int, end: int) -> tuple[Turn, ...]:
        turns: list[Turn] = []
        at = start
        for place, typed in self.typed:
            if start <= place <= end:
                turns.append(self._turn(at, min(place, stop), typed))
                at = max(at, min(place, stop))
        turns.append(self._turn(at, stop))
        return tuple(turns)

    def _turn(self, start: int, stop: int, typed: Typed | None = None) -> Turn:
        prompt = ""
        if self.prompt_mark:
            begin = self.raw.rfind(self.prompt_mark, start, stop)
            if begin >= 0:
                prompt = self._text(begin, stop)
        printed = self._text(start, stop)
        if not printed.endswith(prompt):  # the mark lies within a character
            prompt = ""
        return Turn(printed=printed, typed=typed, prompt=prompt)

    def _size_of_marks(self) -> int:
        """Return the number of bytes that the prompt marks take: one mark for each typed line, and
        one more.
        """
        if not self.prompt_mark:
            return 0
        count = min(self.raw.count(self.prompt_mark), len(self.typed) + 1)
        return count * len(self.prompt_mark)

    def _text(self, start: int, stop: int) -> str:
        """Decode bytes as UTF-8 with backslash escapes for invalid bytes.

        Python's own "backslashreplace" takes a second for a megabyte of invalid bytes.
        """
        raw = self.raw[start:stop]
        if self.prompt_mark:
            raw = raw.replace(self.prompt_mark, b"")
        text = raw.decode("utf-8", "surrogateescape")
        return _UNDECODED.sub(_escaped, text)


_UNDECODED = re.compile("[\udc80-\udcff]+")


def _escaped(found: re.Match[str]) -> str:
    return "\\x" + found[0].encode("utf-8", "surrogateescape").hex("|").replace("|", "\\x")


def joined(parts: list[tuple[Turn, ...]]) -> tuple[Turn, ...]:
    """Return the turns of several parts as one conversation."""
    if len(parts) == 1:
        return parts[0]
    turns: list[Turn] = []
    printed = ""
    for part in parts:
        for turn in part:
            printed += turn.printed
            if turn.typed is not None:
                turns.append(Turn(printed=printed, typed=turn.typed, prompt=turn.prompt))
                printed = ""
    turns.append(Turn(printed=printed))
    return tuple(turns)


def scenario_screen(stimulus: Stimulus) -> ScreenParser:
    """Return an empty screen with new secrets for this stimulus.

    A run that looks for a loop may print more than the limit; the excess is discarded.
    """
    return ScreenParser(
        sentinel=os.urandom(_SENTINEL_BYTES),
        most_sentinels=1 + len(stimulus.action.steps),
        may_discard=_MAX_DISCARDED if stimulus.finds_loop else 0,
        prompt_mark=os.urandom(_SENTINEL_BYTES) if stimulus.marks_prompts else b"",
    )


def plain_screen() -> ScreenParser:
    """Return an empty screen for a process that prints no sentinels."""
    return ScreenParser(sentinel=b"\0", most_sentinels=0)
