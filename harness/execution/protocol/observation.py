"""From a process's screen, its reply and its end to an observation, however it was run: the output
split into loading, session steps and turns; whether the reply has all that our side of the process
writes for its stimulus."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from harness.common.errors import HarnessError
from harness.common.escaping import visible
from harness.execution.protocol.reply import FinalReply, Reply, TamperedError, read_reply
from harness.model.observation import Ending, Observation, Phase, Raised, StepOutcome, Turn
from harness.model.stimulus import Call, Limits, Run, Session, Stimulus, Typed

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


_SIGKILL = 9
_WINDOWS_ERRORS = 0xC0000000  # where a crash is an exit status from here on
_SIGXCPU = getattr(signal, "SIGXCPU", None)  # Windows has none


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a process ended: our reason for ending it (None: it ended by itself), its exit status
    (negative: the signal that ended it), CPU seconds, the frames that it wrote, and why a stand-in
    could not be used, where that is the reason."""

    reason: Ending | None
    exit_code: int
    cpu_seconds: float
    reply: bytes
    detail: str = ""


def observation(
    stimulus: Stimulus,
    limits: Limits,
    screen: ScreenParser,
    end: End,
    *,
    arguments: int | None,
) -> Observation:
    """What the process did, from its screen, its reply and its end. `arguments`: how many
    positional arguments its reply must describe (None: none). HarnessError when a provided file
    did not load."""
    loading, parts = screen.parts(limits.output_kib * 1024)
    seen = partial(
        Observation,
        phase=Phase.STIMULUS if parts else Phase.LOADING,
        turns=joined(parts) if parts else (),
        loading_printed=loading,
        cpu_seconds=end.cpu_seconds,
    )
    try:
        reply = read_reply(end.reply)
    except TamperedError as error:
        return seen(ending=Ending.TAMPERED, detail=str(error))
    if reply.broken is not None:
        raise HarnessError(f"a provided file failed to load: {visible(reply.broken[:300])}")
    if parts and not isinstance(stimulus.action, Run):
        seen = partial(seen, phase=reply.reached)
    if isinstance(stimulus.action, Session):
        seen = partial(seen, steps=_steps(stimulus.action, reply, parts))
    elif reply.steps:
        return seen(ending=Ending.TAMPERED, detail="an unexpected reply")
    if end.reason is not None or end.exit_code != 0 or reply.final is None:
        ending, detail = _without_answer(end, reply, limits)
        return seen(ending=ending, detail=detail)
    final = reply.final
    if final.loop is not None and stimulus.finds_loop:
        return seen(ending=Ending.CPU_LIMIT, detail=final.loop)
    if final.loop is not None or not is_complete(stimulus, reply, arguments):
        return seen(ending=Ending.TAMPERED, detail="an incomplete reply")
    return _answered(seen, final)


def _answered(seen: Callable[..., Observation], final: FinalReply) -> Observation:
    if final.phase is not None:
        seen = partial(seen, phase=final.phase)
    return seen(
        ending=_ending_of(final),
        detail=final.missing or "",
        nearest=final.near,
        left_open=final.open,
        value=final.value,
        raised=final.raised,
        arguments=final.after or (),
        arguments_before=final.before or (),
        variables=final.variables or (),
        exit_status=final.exit,
    )


def _ending_of(final: FinalReply) -> Ending:
    if final.missing is not None:
        return Ending.MISSING
    if final.memory or (final.raised and _is_out_of_memory(final.raised)):
        return Ending.MEMORY_LIMIT
    return Ending.ANSWERED


def _is_out_of_memory(raised: Raised) -> bool:
    """A MemoryError, or what CPython makes of one when there is no memory for its traceback."""
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
        return end.reason, end.detail
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
                shown=said.shown if said else "",
            )
        )
    return tuple(outcomes)


def is_complete(stimulus: Stimulus, reply: Reply, arguments: int | None) -> bool:
    """Whether a final reply has each field that belongs to its stimulus and outcome, and no other.

    `arguments`: how many positional arguments are observed before and after the call; None: none
    are. A field that is absent means nothing by itself: whoever leaves one out wrote the reply
    without our code.
    """
    final = reply.final
    if final is None or final.memory:  # then it is all that the reply says
        return True
    action = stimulus.action
    if isinstance(action, Run) != (final.exit is not None):
        return False
    if final.phase is Phase.LOADING:
        return final.raised is not None and not reply.steps and _has_no_outcome(final)
    if final.phase is None:
        return False
    if final.missing is not None:
        is_plain = final.phase is Phase.STIMULUS and final.raised is None
        return is_plain and not reply.steps and _has_no_outcome(final)
    if final.phase is Phase.GIVEN:
        is_before = not isinstance(action, Run) and final.raised is not None
        return is_before and not reply.steps and _has_no_outcome(final)
    if isinstance(action, Call):
        return final.variables is None and _is_complete_call(final, arguments)
    if final.phase is not Phase.STIMULUS:
        return False
    if isinstance(action, Session):
        return _is_complete_session(action, reply, final)
    return _has_no_outcome(final)


def _has_no_outcome(final: FinalReply) -> bool:
    fields = (final.value, final.before, final.after, final.variables)
    return all(field is None for field in fields)


def _is_complete_call(final: FinalReply, arguments: int | None) -> bool:
    if (final.value is None) == (final.raised is None):
        return False
    if final.phase is not Phase.STIMULUS and final.raised is None:
        return False
    before, after = final.before, final.after
    if before is None or after is None:
        neither = before is None and after is None
        return neither and (arguments is None or final.phase is Phase.ARGUMENTS)
    return final.phase is not Phase.ARGUMENTS and len(before) == len(after) == arguments


def _is_complete_session(action: Session, reply: Reply, final: FinalReply) -> bool:
    if (final.value, final.before, final.after) != (None, None, None):
        return False
    return (
        final.raised is None
        and final.variables is not None
        and len(reply.steps) == len(action.steps)
    )
