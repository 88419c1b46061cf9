"""Makes an observation of a process's screen, its reply and its end, however it was run. The
reply comes from a process that runs untrusted code: it is read strictly, and bounded in size."""

import functools
import json
import os
import re
import signal
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import Any, TypeVar

from harness.common import serial
from harness.common.errors import HarnessError
from harness.common.escaping import visible
from harness.execution.inside.messages.frames import HEAD
from harness.execution.inside.messages.protocol import (
    MAX_DEPTH,
    MAX_FRAMES,
    MAX_MESSAGE,
    MAX_NAME,
    MAX_REPLY_BYTES,
    MAX_STDERR,
    MAX_TRACED_LINES,
    MAX_VALUES,
    FromScenario,
    FromTool,
    split,
)
from harness.model.observation import (
    Ending,
    NamedValue,
    Observation,
    Phase,
    Raised,
    StepOutcome,
    Turn,
)
from harness.model.stimulus import Limits, Stimulus, Typed
from harness.model.values import KINDS, NAMED_CONTAINERS, Value, ValueKind

T = TypeVar("T")

_SHORT = 1024  # bytes: shorter replies are cached, since right programs give the same ones
_CONTAINERS = frozenset({"list", "tuple", "dict", "set", "frozenset"})


class TamperedError(Exception):
    """The bytes are not what our side of the process would have written."""


def value_from(plain: Any, depth: int = 0) -> Value:
    """A value from `["kind", text]`, `["kind", [values]]` or `["kind", type, [values]]`;
    TamperedError for anything else, and for one that is nested too deep."""
    if type(plain) is not list or len(plain) not in (2, 3) or type(plain[0]) is not str:
        raise TamperedError("a misshapen value")
    kind, content = KINDS.get(plain[0]), plain[-1]
    if kind is None:
        raise TamperedError("an unknown kind of value")
    named = len(plain) == 3
    if not named and plain[0] not in _CONTAINERS:
        return Value.simple(kind, _text(content))
    if depth >= MAX_DEPTH:
        raise TamperedError("a reply nested too deep")
    if type(content) is not list or named != (kind in NAMED_CONTAINERS):
        raise TamperedError("a misshapen value")
    items = tuple([value_from(part, depth + 1) for part in content])
    if kind in (ValueKind.DICT, ValueKind.OBJECT) and len(items) % 2:
        raise TamperedError("a misshapen value")
    if kind is ValueKind.OBJECT and any(name.kind is not ValueKind.STR for name in items[::2]):
        raise TamperedError("a misshapen value")
    if kind in (ValueKind.SET, ValueKind.FROZENSET):
        items = tuple(sorted(items, key=Value.source))
    return Value(kind, _text(plain[1]) if named else "", items)


class _SentValue(Value):
    """Tells `serial` to read a value in the form in which a scenario's process writes it."""

    from_plain = staticmethod(value_from)


class _SentVariable(NamedValue):
    """The same for a variable, `["name", value]`."""

    @staticmethod
    def from_plain(plain: Any) -> NamedValue:
        if type(plain) is not list or len(plain) != 2:
            raise TamperedError("a misshapen reply")
        return NamedValue(name=_text(plain[0]), value=value_from(plain[1]))


class _SentRaised(Raised):
    """The same for an exception, of bounded size."""

    @staticmethod
    def from_plain(plain: Any) -> Raised:
        raised = serial.from_plain(Raised, plain)
        names = [text for each in raised.frames for text in (each.file, each.function, each.source)]
        if raised.names is not None:
            names += [raised.names.name, raised.names.owner, raised.names.near]
        _check_names(raised.type_name, *raised.bases, *names)
        many = max(len(raised.frames), len(raised.bases)) > MAX_FRAMES
        if many or len(raised.message) > MAX_MESSAGE:
            raise TamperedError("a reply too large")
        return raised


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReply:
    """What a session step did."""

    value: _SentValue | None = None
    raised: _SentRaised | None = None
    shown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalReply:
    """The one answer, field by field as it is sent; None for a field that was not sent."""

    phase: Phase | None = None
    value: _SentValue | None = None
    raised: _SentRaised | None = None
    before: tuple[_SentValue, ...] | None = None  # positional arguments of a plain call
    after: tuple[_SentValue, ...] | None = None  # the same after the call
    variables: tuple[_SentVariable, ...] | None = None
    exit: int | None = None
    missing: str | None = None  # a function that the submission does not define
    near: str = ""  # the name in it that is most like that one
    open: tuple[str, ...] = ()  # files that are not closed
    memory: bool = False  # there was no memory left
    loop: str | None = None  # where it looped
    stderr: str | None = None  # what was written to stderr, if that is not shown on the screen


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """All that a scenario's process reported."""

    steps: tuple[StepReply, ...] = ()
    final: FinalReply | None = None
    broken: str | None = None  # why a provided file failed to load
    reached: Phase = Phase.GIVEN  # the last phase that a call or a session said it reached
    trace: tuple[str, ...] = ()  # the lines that ran, each when it did so for the first time


class FrameBuffer:
    """What a process has written, frame by frame as they become whole; `data` is what is left."""

    def __init__(self) -> None:
        self.data = bytearray()

    def next(self) -> bytes | None:
        """The next frame; None while it is not whole. TamperedError if it is empty or too large."""
        data = self.data
        if len(data) < HEAD:
            return None
        length = int.from_bytes(data[:HEAD], "little")
        if not 1 <= length <= MAX_REPLY_BYTES:
            raise TamperedError("a reply too large")
        end = HEAD + length
        if len(data) < end:
            return None
        body = bytes(data[HEAD:end])
        del data[:end]
        return body


def read_reply(frames: tuple[bytes, ...]) -> Reply:
    """The reply that these are; TamperedError when it breaks the protocol."""
    return _cached(frames) if sum(map(len, frames)) <= _SHORT else _read(frames)


def _read(frames: tuple[bytes, ...]) -> Reply:
    steps: list[StepReply] = []
    final: FinalReply | None = None
    broken: str | None = None
    reached = Phase.GIVEN
    submission_ran = False
    trace: list[str] = []
    for frame in frames:
        kind, body = split(frame)
        if kind == FromScenario.ASKS_FOR_INPUT:
            continue
        if final is not None or broken is not None:
            raise TamperedError("more than one reply")
        if kind == FromScenario.SUBMISSION_RUNS and not submission_ran:
            submission_ran = True
        elif kind == FromScenario.REACHED:
            reached = _read_as(Phase, body)
            if reached not in (Phase.ARGUMENTS, Phase.STIMULUS):
                raise TamperedError("a misshapen reply")
        elif kind == FromScenario.LINE_RAN and len(trace) < MAX_TRACED_LINES:
            trace.append(_read_as(str, body))
            _check_names(trace[-1])
        elif kind == FromScenario.STEP:
            steps.append(_read_as(StepReply, body))
        elif kind == FromScenario.ANSWER:
            final = _read_as(FinalReply, body)
            _check_names(final.missing or "", final.near, final.loop or "", *final.open)
            if len(final.stderr or "") > MAX_STDERR:
                raise TamperedError("a reply too large")
        elif kind == FromScenario.BROKEN and not submission_ran:
            broken = _read_as(str, body)
        else:
            raise TamperedError("an unknown reply")
    return Reply(
        steps=tuple(steps), final=final, broken=broken, reached=reached, trace=tuple(trace)
    )


_cached = functools.lru_cache(maxsize=4096)(_read)


def read_text(frames: tuple[bytes, ...]) -> str | None:
    """A tool's answer; None when it gave none."""
    found = [body for kind, body in map(split, frames) if kind == FromTool.ANSWER]
    if len(found) > 1:
        raise TamperedError("more than one reply")
    return _read_as(str, found[0]) if found else None


def _read_as(kind: type[T], body: bytes) -> T:
    if body.count(b'["') > MAX_VALUES:  # each value begins so, and no text can hold it
        raise TamperedError("a reply too large")
    try:
        plain = json.loads(body.decode("ascii"))
    except (ValueError, RecursionError):
        raise TamperedError("an unreadable reply") from None
    try:
        return serial.from_plain(kind, plain)
    except serial.SerialError:
        raise TamperedError("a misshapen reply") from None


def _text(plain: Any) -> str:
    if type(plain) is not str:
        raise TamperedError("a misshapen reply")
    return plain


def _check_names(*names: str) -> None:
    """Refuse names and lines of the program's that our side of the process would have cut."""
    if any(len(name) > MAX_NAME for name in names):
        raise TamperedError("a reply too large")


_SENTINEL_BYTES = 16
# Several times what a program prints until its loop is found, which is after half a second of CPU
# time: lines of 40 characters are 2 MiB, of 300 characters 12. More would take us long to read.
_MOST_DISCARDED = 64 * 1024 * 1024


@dataclass(slots=True)
class ScreenParser:
    """The raw bytes that were printed, and where between them something was typed. Our side of the
    process writes `sentinel` (a secret of this scenario) where loading ends and where each session
    step ends: `most_sentinels` times at most, another one is text."""

    sentinel: bytes
    most_sentinels: int
    may_discard: int = 0
    raw: bytearray = field(default_factory=bytearray)
    typed: list[tuple[int, Typed]] = field(default_factory=list)
    _loaded: bool = False
    _kept: int = 0  # bytes, once it discards what is more

    def remember(self, typed: Typed) -> None:
        """It was typed at this place, as far as what was printed is there."""
        self.typed.append((len(self.raw), typed))

    @property
    def loaded(self) -> bool:
        """Whether the submission's body has run."""
        if not self._loaded:
            self._loaded = self.sentinel in self.raw
        return self._loaded

    def exceeds(self, limit: int) -> bool:
        """Whether more than `limit` bytes were printed; what may be discarded is forgotten here."""
        more = len(self.raw) - (self._kept or limit)
        if more > 0 and not self._kept:
            sentinels = min(self.raw.count(self.sentinel), self.most_sentinels)
            more -= sentinels * len(self.sentinel)
        if more <= 0 or more > self.may_discard:
            return more > 0
        del self.raw[-more:]
        self._kept = len(self.raw)
        self.may_discard -= more
        return False

    def parts(self, limit: int) -> tuple[str, list[tuple[Turn, ...]]]:
        """What was printed while loading, and the turns of each later part, cut to `limit`."""
        start, left = 0, limit
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
                turns.append(Turn(printed=self._text(at, min(place, stop)), typed=typed))
                at = max(at, min(place, stop))
        turns.append(Turn(printed=self._text(at, stop)))
        return tuple(turns)

    def _text(self, start: int, stop: int) -> str:
        """As "backslashreplace" does, which takes a second for a megabyte that is not UTF-8."""
        text = self.raw[start:stop].decode("utf-8", "surrogateescape")
        return _UNDECODED.sub(_escaped, text)


_UNDECODED = re.compile("[\udc80-\udcff]+")


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


def scenario_screen(stimulus: Stimulus) -> ScreenParser:
    """An empty screen with a new sentinel for this stimulus. Of what is printed until a loop is
    found, no more is kept than in any scenario."""
    return ScreenParser(
        sentinel=os.urandom(_SENTINEL_BYTES),
        most_sentinels=1 + len(stimulus.action.steps),
        may_discard=_MOST_DISCARDED if stimulus.finds_loop else 0,
    )


def plain_screen() -> ScreenParser:
    """An empty screen of a process that writes no sentinel."""
    return ScreenParser(sentinel=b"\0", most_sentinels=0)


_SIGKILL = 9
_WINDOWS_ERRORS = 0xC0000000  # on Windows, exit statuses from here on are crashes
_SIGXCPU = getattr(signal, "SIGXCPU", None)  # Windows has none


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a process ended."""

    reason: Ending | None  # why we ended it; None: it ended by itself
    exit_code: int  # negative: the signal that ended it
    cpu_seconds: float
    reply: tuple[bytes, ...]  # the frames that it wrote
    detail: str = ""  # why a stand-in could not be used, if that is the reason


def observation(
    stimulus: Stimulus, limits: Limits, screen: ScreenParser, end: End, *, arguments: int | None
) -> Observation:
    """What the process did. `arguments`: how many positional arguments its reply must describe
    (None: none). HarnessError when a provided file did not load."""
    loading, parts = screen.parts(limits.output_kib * 1024)
    seen = Observation(
        ending=Ending.ANSWERED,
        phase=Phase.STIMULUS if parts else Phase.LOADING,
        turns=joined(parts) if parts else (),
        loading_printed=loading,
        cpu_seconds=end.cpu_seconds,
    )
    try:
        reply = read_reply(end.reply)
    except TamperedError as error:
        return replace(seen, ending=Ending.TAMPERED, detail=str(error))
    if reply.broken is not None:
        raise HarnessError(f"a provided file failed to load: {visible(reply.broken[:300])}")
    if stimulus.traces_lines:
        return replace(seen, detail="\n".join(reply.trace))
    if reply.trace:
        return replace(seen, ending=Ending.TAMPERED, detail="an unexpected reply")
    if parts and not stimulus.action.program:
        seen = replace(seen, phase=reply.reached)
    if stimulus.action.steps:
        said = chain(reply.steps, repeat(StepReply()))  # a step that did not finish has only turns
        outcomes = [
            StepOutcome(turns=turns, value=each.value, raised=each.raised, shown=each.shown)
            for turns, each in zip(parts[: len(stimulus.action.steps)], said, strict=False)
        ]
        seen = replace(seen, steps=tuple(outcomes))
    elif reply.steps:
        return replace(seen, ending=Ending.TAMPERED, detail="an unexpected reply")
    if end.reason is not None or end.exit_code != 0 or reply.final is None:
        ending, detail = _without_answer(end, reply, limits)
        return replace(seen, ending=ending, detail=detail)
    final = reply.final
    if final.loop is not None and stimulus.finds_loop:
        return replace(seen, ending=Ending.CPU_LIMIT, detail=final.loop)
    if final.loop is not None or not is_complete(stimulus, reply, arguments):
        return replace(seen, ending=Ending.TAMPERED, detail="an incomplete reply")
    return _answered(seen, final)


# What CPython makes of a MemoryError when there is no memory for its traceback.
_NO_TRACEBACK = ("SystemError", "error return without exception set")


def _answered(seen: Observation, final: FinalReply) -> Observation:
    ending = Ending.ANSWERED
    raised = final.raised
    no_memory = raised is not None and (
        raised.type_name == "MemoryError" or (raised.type_name, raised.message) == _NO_TRACEBACK
    )
    if final.missing is not None:
        ending = Ending.MISSING
    elif final.memory or no_memory:
        ending = Ending.MEMORY_LIMIT
    return replace(
        seen,
        ending=ending,
        phase=final.phase or seen.phase,
        detail=final.missing or "",
        nearest=final.near,
        left_open=final.open,
        value=final.value,
        raised=final.raised,
        arguments=final.after or (),
        arguments_before=final.before or (),
        variables=final.variables or (),
        exit_status=final.exit,
        stderr=final.stderr,
    )


def _without_answer(end: End, reply: Reply, limits: Limits) -> tuple[Ending, str]:
    """The ending, and its detail, of a process that we ended or that ended before it answered."""
    if end.reason is not None:
        if reply.final is not None and end.reason in (Ending.TIMEOUT, Ending.ASKED_FOR_MORE):
            return Ending.TAMPERED, "answered and did not end"
        return end.reason, end.detail
    if reply.final is not None:
        return Ending.TAMPERED, "answered and did not leave"
    if end.exit_code >= 0:
        return Ending.ENDED_EARLY, f"exit status {end.exit_code}"
    killed_by = -end.exit_code
    if killed_by == _SIGXCPU or end.cpu_seconds >= limits.cpu_seconds:
        return Ending.CPU_LIMIT, ""
    try:
        name = signal.Signals(killed_by).name
    except ValueError:
        name = f"signal {killed_by}" if killed_by < _WINDOWS_ERRORS else f"0x{killed_by:08X}"
    # A kill that is not ours: the kernel was out of memory.
    return (Ending.MEMORY_LIMIT if killed_by == _SIGKILL else Ending.CRASHED), name


_OUTCOME = ("value", "raised", "before", "after", "variables", "exit", "missing")


def is_complete(stimulus: Stimulus, reply: Reply, arguments: int | None) -> bool:
    """Whether a final reply has each field that belongs to its stimulus and outcome, and no other:
    else it was not written by our code. `arguments` as for `observation`."""
    final, action = reply.final, stimulus.action
    if final is None or final.memory:  # without memory the reply has nothing else
        return True
    if (final.stderr is not None) != stimulus.stderr_apart:
        return False
    fields = {name for name in _OUTCOME if getattr(final, name) is not None}
    if (action.program != "") != ("exit" in fields):
        return False
    fields.discard("exit")
    if final.phase in (Phase.LOADING, Phase.GIVEN):
        before_it_ran = final.phase is Phase.LOADING or not action.program
        return before_it_ran and fields == {"raised"} and not reply.steps
    if "missing" in fields:
        return final.phase is Phase.STIMULUS and fields == {"missing"} and not reply.steps
    if action.steps:
        return final.phase is Phase.STIMULUS and (
            fields == {"variables"} and len(reply.steps) == len(action.steps)
        )
    if action.program:
        return final.phase is Phase.STIMULUS and fields <= {"raised"}
    if arguments is not None and final.phase is not Phase.ARGUMENTS:
        if not len(final.before or ()) == len(final.after or ()) == arguments:
            return False
        if not {"before", "after"} <= fields:
            return False
        fields -= {"before", "after"}
    outcome = {"value", "raised"} if final.phase is Phase.STIMULUS else {"raised"}
    return final.phase is not None and len(fields) == 1 and fields <= outcome
