"""Reads what a scenario's process reports: strict in shape, bounded in size and depth."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any

from harness.execution.inside.messages.frames import HEAD, body_at
from harness.model.observation import Frame, NamedValue, NameHint, NameHintKind, Phase, Raised
from harness.model.values import KINDS, NAMED_CONTAINERS, Value, ValueKind

LARGEST = 4 * 1024 * 1024
_DEEPEST = 100  # as `inside.messages.codec` writes them at most
_MOST_VALUES = 50_000  # in one frame; `inside.messages.codec` spends its budget long before
_MOST_FRAMES = 64  # of a traceback; `inside.messages.codec` writes 41 at most
_LONGEST_NAME = 1000
_LONGEST_MESSAGE = 10_000
_SHORT = 1024  # bytes: shorter replies are cached, since right programs give the same ones
_CONTAINERS = frozenset({"list", "tuple", "dict", "set", "frozenset"})


class TamperedError(Exception):
    """The bytes are not what our side of the process would have written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReply:
    """What a session step came to."""

    value: Value | None = None
    raised: Raised | None = None
    shown: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalReply:
    """The one answer; None for a field that it does not have."""

    phase: Phase | None = None
    value: Value | None = None
    raised: Raised | None = None
    arguments_before: tuple[Value, ...] | None = None
    arguments: tuple[Value, ...] | None = None
    variables: tuple[NamedValue, ...] | None = None
    exit_status: int | None = None
    missing: str | None = None
    nearest: str = ""
    left_open: tuple[str, ...] = ()
    out_of_memory: bool = False
    loop: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """All that a scenario's process reported. `reached` is how far a call or a session had come, as
    said on the way. `broken`: a provided file that failed to load, which
    is believed only before any code of the submission ran."""

    steps: tuple[StepReply, ...] = ()
    final: FinalReply | None = None
    broken: str | None = None
    reached: Phase = Phase.GIVEN


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

    def add(self, data: bytes) -> None:
        """It has written this as well."""
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


@functools.lru_cache(maxsize=4096)
def _cached(data: bytes) -> Reply:
    return _read(data)


def _read(data: bytes) -> Reply:
    steps: list[StepReply] = []
    final: FinalReply | None = None
    broken: str | None = None
    reached = Phase.GIVEN
    submission_ran = False
    for kind, body in frames(data):
        if kind == b"Q":
            continue
        if final is not None or broken is not None:
            raise TamperedError("more than one reply")
        if kind == b"L" and not submission_ran:
            submission_ran = True
            continue
        plain = _parsed(body)
        if kind == b"G":
            reached = _reached(plain)
        elif kind == b"S":
            steps.append(_step(plain))
        elif kind == b"A":
            final = _final(plain)
        elif kind == b"B" and not submission_ran:
            broken = _text(plain)
        else:
            raise TamperedError("an unknown reply")
    return Reply(steps=tuple(steps), final=final, broken=broken, reached=reached)


def _reached(plain: Any) -> Phase:
    if plain not in (Phase.ARGUMENTS, Phase.STIMULUS):
        raise TamperedError("a misshapen reply")
    return Phase(plain)


def read_text(data: bytes) -> str | None:
    """A tool's answer; None when it gave none."""
    found = [body for kind, body in frames(data) if kind == b"A"]
    if len(found) > 1:
        raise TamperedError("more than one reply")
    return _text(_parsed(found[0])) if found else None


def value_from(plain: Any, depth: int = 0) -> Value:
    """A value from `["kind", text]`, `["kind", [values]]` or `["kind", type, [values]]`;
    TamperedError for anything else, and for one that is nested deeper than our side of the process
    writes them."""
    if type(plain) is not list or len(plain) not in (2, 3) or type(plain[0]) is not str:
        raise TamperedError("a misshapen value")
    if len(plain) == 3:
        return _named(plain, depth)
    name, content = plain
    kind = KINDS.get(name)
    if kind is None:
        raise TamperedError("an unknown kind of value")
    if name not in _CONTAINERS:
        return Value.simple(kind, _text(content))
    if depth >= _DEEPEST:
        raise TamperedError("a reply nested too deep")
    items = tuple([value_from(part, depth + 1) for part in _list(content)])
    if kind is ValueKind.DICT and len(items) % 2:
        raise TamperedError("a misshapen value")
    if kind in (ValueKind.SET, ValueKind.FROZENSET):
        items = tuple(sorted(items, key=Value.source))
    return Value(kind, items=items)


def _named(plain: list[Any], depth: int) -> Value:
    """A value with a type's name and parts."""
    kind = KINDS.get(plain[0])
    if kind not in NAMED_CONTAINERS or depth >= _DEEPEST:
        raise TamperedError("a misshapen value")
    items = tuple([value_from(part, depth + 1) for part in _list(plain[2])])
    if kind is ValueKind.OBJECT:
        names = items[::2]
        if len(items) % 2 or any(name.kind is not ValueKind.STR for name in names):
            raise TamperedError("a misshapen value")
    return Value(kind, _text(plain[1]), items)


def _parsed(body: bytes) -> Any:
    if body.count(b'["') > _MOST_VALUES:  # each value begins so, and no text can hold it
        raise TamperedError("a reply too large")
    try:
        return json.loads(body.decode("ascii"))
    except (ValueError, RecursionError):
        raise TamperedError("an unreadable reply") from None


def _fields(plain: Any, allowed: frozenset[str]) -> dict[str, Any]:
    if type(plain) is not dict or not plain.keys() <= allowed:
        raise TamperedError("a misshapen reply")
    return plain


def _text(plain: Any) -> str:
    if type(plain) is not str:
        raise TamperedError("a misshapen reply")
    return plain


def _name(plain: Any) -> str:
    """A name or a line of the program's, cut to a readable length."""
    return _text(plain)[:_LONGEST_NAME]


def _number(plain: Any) -> int:
    if type(plain) is not int:
        raise TamperedError("a misshapen reply")
    return plain


def _list(plain: Any) -> list[Any]:
    if type(plain) is not list:
        raise TamperedError("a misshapen reply")
    return plain


def _values(plain: Any) -> tuple[Value, ...]:
    return tuple([value_from(part) for part in _list(plain)])


def _raised(plain: Any) -> Raised:
    fields = _fields(plain, frozenset({"type_name", "message", "bases", "frames", "names"}))
    frames, bases = _list(fields.get("frames", [])), _list(fields.get("bases", []))
    if len(frames) > _MOST_FRAMES or len(bases) > _MOST_FRAMES:
        raise TamperedError("a reply too large")
    places = []
    for part in frames:
        frame = _fields(part, frozenset({"file", "line", "function", "source"}))
        places.append(
            Frame(
                file=_name(frame.get("file")),
                line=_number(frame.get("line")),
                function=_name(frame.get("function")),
                source=_name(frame.get("source")),
            )
        )
    return Raised(
        type_name=_name(fields.get("type_name")),
        message=_text(fields.get("message"))[:_LONGEST_MESSAGE],
        bases=tuple(_name(base) for base in bases),
        frames=tuple(places),
        names=_names(fields["names"]) if "names" in fields else None,
    )


def _names(plain: Any) -> NameHint:
    fields = _fields(plain, frozenset({"kind", "name", "owner", "near"}))
    kind = fields.get("kind")
    if kind not in tuple(NameHintKind):
        raise TamperedError("a misshapen reply")
    return NameHint(
        kind=NameHintKind(kind),
        name=_name(fields.get("name")),
        owner=_name(fields.get("owner")),
        near=_name(fields.get("near")),
    )


def _step(plain: Any) -> StepReply:
    fields = _fields(plain, frozenset({"value", "raised", "shown"}))
    return StepReply(
        value=value_from(fields["value"]) if "value" in fields else None,
        raised=_raised(fields["raised"]) if "raised" in fields else None,
        shown=_text(fields.get("shown", "")),
    )


_FINAL_FIELDS = frozenset(
    {
        "phase",
        "value",
        "raised",
        "before",
        "after",
        "variables",
        "exit",
        "missing",
        "memory",
        "near",
        "open",
        "loop",
    }
)


def _final(plain: Any) -> FinalReply:
    fields = _fields(plain, _FINAL_FIELDS)
    phase = fields.get("phase")
    if phase not in (*Phase, None):
        raise TamperedError("a misshapen reply")
    pairs = [_list(pair) for pair in _list(fields.get("variables", []))]
    if any(len(pair) != 2 for pair in pairs):
        raise TamperedError("a misshapen reply")
    before, after = fields.get("before"), fields.get("after")
    arguments = None if before is None else _values(before)
    changed = after is not None and after != before
    return FinalReply(
        phase=None if phase is None else Phase(phase),
        value=value_from(fields["value"]) if "value" in fields else None,
        raised=_raised(fields["raised"]) if "raised" in fields else None,
        arguments_before=arguments,
        arguments=_values(after) if changed else None if after is None else arguments,
        variables=tuple(NamedValue(name=_text(n), value=value_from(v)) for n, v in pairs)
        if "variables" in fields
        else None,
        exit_status=_number(fields["exit"]) if "exit" in fields else None,
        missing=_name(fields["missing"]) if "missing" in fields else None,
        nearest=_name(fields.get("near", "")),
        left_open=tuple(_name(name) for name in _list(fields.get("open", []))),
        out_of_memory=fields.get("memory") is True,
        loop=_name(fields["loop"]) if "loop" in fields else None,
    )
