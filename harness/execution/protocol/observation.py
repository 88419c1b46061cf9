"""From a process's end, screen and words to an observation, however it was run.

Parts what came out of a terminal into loading, steps and turns.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from functools import partial

from harness.common.errors import HarnessError
from harness.execution.protocol.reply import FinalReply, Reply, TamperedError, read_reply
from harness.model.observation import Ending, Observation, Phase, Raised, StepOutcome, Turn
from harness.model.stimulus import Limits, Run, Session, Stimulus, Typed

_SIGKILL = 9
_WINDOWS_ERRORS = 0xC0000000  # where a crash is an exit status from here on
_SIGXCPU = getattr(signal, "SIGXCPU", None)  # Windows has none


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a process ended: our reason for ending it (None: it ended by itself), its exit status
    (negative: the signal that ended it), CPU seconds, and what it said of itself."""

    reason: Ending | None
    exit_code: int
    cpu_seconds: float
    said: bytes


def observation(stimulus: Stimulus, limits: Limits, shown: ScreenParser, end: End) -> Observation:
    """What the process did, from its screen, its words and its end. HarnessError when a provided
    file did not load."""
    loading, parts = shown.parts(limits.output_kib * 1024)
    seen = partial(
        Observation,
        phase=Phase.STIMULUS if parts else Phase.LOADING,
        turns=joined(parts) if parts else (),
        loading_printed=loading,
        cpu_seconds=end.cpu_seconds,
    )
    try:
        reply = read_reply(end.said)
    except TamperedError as error:
        return seen(ending=Ending.TAMPERED, detail=str(error))
    if reply.broken is not None:
        raise HarnessError(f"a provided file failed to load: {reply.broken}")
    if isinstance(stimulus.action, Session):
        seen = partial(seen, steps=_steps(stimulus.action, reply, parts))
    elif reply.steps:
        return seen(ending=Ending.TAMPERED, detail="an unexpected reply")
    if end.reason is not None or end.exit_code != 0 or reply.final is None:
        ending, detail = _without_answer(end, reply, limits)
        return seen(ending=ending, detail=detail)
    final = reply.final
    return seen(
        ending=_ending_of(final),
        detail=final.missing or "",
        phase=final.phase,
        value=final.value,
        raised=final.raised,
        arguments=final.arguments,
        arguments_before=final.arguments_before,
        variables=final.variables,
        exit_status=final.exit_status if isinstance(stimulus.action, Run) else None,
    )


def _ending_of(final: FinalReply) -> Ending:
    if final.missing is not None:
        return Ending.MISSING
    if final.out_of_memory or (final.raised and _is_out_of_memory(final.raised)):
        return Ending.MEMORY_LIMIT
    return Ending.ANSWERED


def _is_out_of_memory(raised: Raised) -> bool:
    """A MemoryError, or what CPython makes of one when there is no room for its traceback."""
    if raised.type_name == "SystemError":
        return raised.message == "error return without exception set"
    return raised.type_name == "MemoryError"


def _without_answer(end: End, reply: Reply, limits: Limits) -> tuple[Ending, str]:
    """How a process ended that was ended, or that ended in another way than ours does; in detail
    too."""
    killed_by = -end.exit_code if end.exit_code < 0 else None
    if end.reason is not None and end.reason is not Ending.TAMPERED:
        if reply.final is not None and end.reason in (Ending.TIMEOUT, Ending.ASKED_FOR_MORE):
            return Ending.TAMPERED, "answered and did not end"
        return end.reason, ""
    if end.reason is Ending.TAMPERED:
        return Ending.TAMPERED, "a reply too large"
    if reply.final is not None:
        return Ending.TAMPERED, "answered and did not leave"
    if killed_by is None:
        return Ending.ENDED_EARLY, f"exit status {end.exit_code}"
    if killed_by == _SIGXCPU or end.cpu_seconds >= limits.cpu_seconds:
        return Ending.CPU_LIMIT, ""
    name = _signal_name(killed_by)
    if killed_by == _SIGKILL:  # not by us: the kernel was out of memory
        return Ending.MEMORY_LIMIT, name
    return Ending.CRASHED, name


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}" if number < _WINDOWS_ERRORS else f"0x{number:08X}"


def _steps(action: Session, reply: Reply, parts: list[tuple[Turn, ...]]) -> tuple[StepOutcome, ...]:
    """What each finished step did; a last one that did not finish has its turns alone."""
    outcomes: list[StepOutcome] = []
    for index, _ in enumerate(action.steps):
        if index >= len(parts):
            break
        said = reply.steps[index] if index < len(reply.steps) else None
        outcomes.append(
            StepOutcome(
                turns=parts[index],
                value=said.value if said else None,
                raised=said.raised if said else None,
            )
        )
    return tuple(outcomes)


@dataclass(slots=True)
class ScreenParser:
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
