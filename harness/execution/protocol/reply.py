"""Reads what a scenario's process reports: strict in shape, bounded in size and depth."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any, TypeVar

from harness.common import serial
from harness.execution.inside.messages.frames import HEAD, body_at
from harness.model.observation import NamedValue, Phase, Raised
from harness.model.values import KINDS, NAMED_CONTAINERS, Value, ValueKind

T = TypeVar("T")

LARGEST = 4 * 1024 * 1024
_DEEPEST = 100  # as `inside.messages.codec` writes them at most
_MOST_VALUES = 50_000  # in one frame; `inside.messages.codec` spends its budget long before
_LONGEST_STDERR = 100_000
_MOST_FRAMES = 64  # of a traceback; `inside.messages.codec` writes 41 at most
_MOST_TRACED = 4000  # `inside.scenario.process` sends half as many
_LONGEST_NAME = 1000
_LONGEST_MESSAGE = 10_000
_SHORT = 1024  # bytes: shorter replies are cached, since right programs give the same ones
_CONTAINERS = frozenset({"list", "tuple", "dict", "set", "frozenset"})


class TamperedError(Exception):
    """The bytes are not what our side of the process would have written."""


def value_from(plain: Any, depth: int = 0) -> Value:
    """A value from `["kind", text]`, `["kind", [values]]` or `["kind", type, [values]]`;
    TamperedError for anything else, and for one that is nested deeper than our side of the process
    writes them."""
    if type(plain) is not list or len(plain) not in (2, 3) or type(plain[0]) is not str:
        raise TamperedError("a misshapen value")
    kind, content = KINDS.get(plain[0]), plain[-1]
    if kind is None:
        raise TamperedError("an unknown kind of value")
    named = len(plain) == 3
    if not named and plain[0] not in _CONTAINERS:
        return Value.simple(kind, _text(content))
    if depth >= _DEEPEST:
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
    """A value, for `serial`, in the form that a scenario's process writes it in."""

    from_plain = staticmethod(value_from)


class _SentVariable(NamedValue):
    """A variable, `["name", value]`."""

    @staticmethod
    def from_plain(plain: Any) -> NamedValue:
        if type(plain) is not list or len(plain) != 2:
            raise TamperedError("a misshapen reply")
        return NamedValue(name=_text(plain[0]), value=value_from(plain[1]))


class _SentRaised(Raised):
    """An exception, bounded as `inside.messages.exceptions` bounds it."""

    @staticmethod
    def from_plain(plain: Any) -> Raised:
        raised = serial.from_plain(Raised, plain)
        names = [text for each in raised.frames for text in (each.file, each.function, each.source)]
        if raised.names is not None:
            names += [raised.names.name, raised.names.owner, raised.names.near]
        _check_names(raised.type_name, *raised.bases, *names)
        many = max(len(raised.frames), len(raised.bases)) > _MOST_FRAMES
        if many or len(raised.message) > _LONGEST_MESSAGE:
            raise TamperedError("a reply too large")
        return raised


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReply:
    """What a session step came to."""

    value: _SentValue | None = None
    raised: _SentRaised | None = None
    shown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalReply:
    """The one answer, field by field as it is sent; None for a field that it does not have."""

    phase: Phase | None = None
    value: _SentValue | None = None
    raised: _SentRaised | None = None
    before: tuple[_SentValue, ...] | None = None  # positional arguments of a plain call
    after: tuple[_SentValue, ...] | None = None
    variables: tuple[_SentVariable, ...] | None = None
    exit: int | None = None
    missing: str | None = None  # a function that the submission does not define
    near: str = ""  # what it has that is called most like that one
    open: tuple[str, ...] = ()  # files that are not closed
    memory: bool = False  # there was none left
    loop: str | None = None  # where it looped
    stderr: str | None = None  # what was written there, where that is told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """All that a scenario's process reported. `reached` is how far a call or a session had come, as
    said on the way. `broken`: a provided file that failed to load, which
    is believed only before any code of the submission ran. `trace`: the lines that ran, each as it
    did so for the first time."""

    steps: tuple[StepReply, ...] = ()
    final: FinalReply | None = None
    broken: str | None = None
    reached: Phase = Phase.GIVEN
    trace: tuple[str, ...] = ()


def frames(data: bytes) -> list[tuple[bytes, bytes]]:
    """The frames in `data` by kind; TamperedError when the last one is cut."""
    found: list[tuple[bytes, bytes]] = []
    at = 0
    while at < len(data):
        body = body_at(data, at)
        if not body:
            raise TamperedError("an unreadable reply")
        found.append((body[:1], body[1:]))
        at += HEAD + len(body)
    return found


class FrameBuffer:
    """What a process has written, frame by frame as they become whole."""

    def __init__(self) -> None:
        self._data = bytearray()

    @property
    def rest(self) -> bytes:
        """The beginning of a frame that is not whole."""
        return bytes(self._data)

    def add(self, data: bytes) -> None:
        self._data += data

    def next(self) -> bytes | None:
        """The next frame; None while it is not whole. TamperedError for one that is empty or too
        large."""
        data = self._data
        if len(data) < HEAD:
            return None
        length = int.from_bytes(data[:HEAD], "little")
        if not 1 <= length <= LARGEST:
            raise TamperedError("a reply too large")
        end = HEAD + length
        if len(data) < end:
            return None
        body = bytes(data[HEAD:end])
        del data[:end]
        return body


def read_reply(data: bytes) -> Reply:
    """The reply that `data` holds; TamperedError when it breaks the protocol."""
    return _cached(data) if len(data) <= _SHORT else _read(data)


def _read(data: bytes) -> Reply:
    steps: list[StepReply] = []
    final: FinalReply | None = None
    broken: str | None = None
    reached = Phase.GIVEN
    submission_ran = False
    trace: list[str] = []
    for kind, body in frames(data):
        if kind == b"Q":
            continue
        if final is not None or broken is not None:
            raise TamperedError("more than one reply")
        if kind == b"L" and not submission_ran:
            submission_ran = True
        elif kind == b"G":
            reached = _read_as(Phase, body)
            if reached not in (Phase.ARGUMENTS, Phase.STIMULUS):
                raise TamperedError("a misshapen reply")
        elif kind == b"X" and len(trace) < _MOST_TRACED:
            trace.append(_read_as(str, body))
            _check_names(trace[-1])
        elif kind == b"S":
            steps.append(_read_as(StepReply, body))
        elif kind == b"A":
            final = _read_as(FinalReply, body)
            _check_names(final.missing or "", final.near, final.loop or "", *final.open)
            if len(final.stderr or "") > _LONGEST_STDERR:
                raise TamperedError("a reply too large")
        elif kind == b"B" and not submission_ran:
            broken = _read_as(str, body)
        else:
            raise TamperedError("an unknown reply")
    return Reply(
        steps=tuple(steps), final=final, broken=broken, reached=reached, trace=tuple(trace)
    )


_cached = functools.lru_cache(maxsize=4096)(_read)


def read_text(data: bytes) -> str | None:
    """A tool's answer; None when it gave none."""
    found = [body for kind, body in frames(data) if kind == b"A"]
    if len(found) > 1:
        raise TamperedError("more than one reply")
    return _read_as(str, found[0]) if found else None


def _read_as(kind: type[T], body: bytes) -> T:
    if body.count(b'["') > _MOST_VALUES:  # each value begins so, and no text can hold it
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
    """Names and lines of the program's, which our side of the process cuts."""
    if any(len(name) > _LONGEST_NAME for name in names):
        raise TamperedError("a reply too large")
