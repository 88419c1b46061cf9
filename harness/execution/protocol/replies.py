"""Parses the messages of a scenario's process into a `Reply` and checks their format.

The process runs untrusted code, so the format is checked strictly and sizes are limited. `answers`
then checks whether the reply fits the stimulus.
"""

import ast
import base64
import functools
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from harness.common import serial
from harness.execution.inside.messages.frames import HEAD
from harness.execution.inside.messages.protocol import (
    MAX_DEPTH,
    MAX_DRAWN,
    MAX_FIGURES,
    MAX_FRAMES,
    MAX_INT_DIGITS,
    MAX_LABEL,
    MAX_LEFT_OPEN,
    MAX_MESSAGE,
    MAX_NAME,
    MAX_PICTURE,
    MAX_PIXELS,
    MAX_PLOTS,
    MAX_REPLY_BYTES,
    MAX_SHOWN,
    MAX_STDERR,
    MAX_TRACED_LINES,
    MAX_VALUES,
    FromScenario,
    FromTool,
    split,
)
from harness.model.figures import Drawn, Figure, Plot
from harness.model.observation import NamedValue, NameHint, Phase
from harness.model.values import KINDS, NAMED_CONTAINERS, Value, ValueKind

T = TypeVar("T")

_SHORT = 1024  # bytes: shorter replies are cached, since correct programs give the same ones
_OF_DATA = frozenset({ValueKind.INT, ValueKind.FLOAT, ValueKind.STR, ValueKind.TOO_LARGE})
_PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"  # how each begins
_CONTAINERS = frozenset({"list", "tuple", "dict", "set", "frozenset"})


class TamperedError(Exception):
    """Raised for bytes that our code in the process would not have written."""


def checked_name(plain: Any) -> str:
    """Return a Python name: text of limited length, without lone surrogates."""
    if type(plain) is not str:
        raise TamperedError("a misshapen reply")
    if len(plain) > MAX_NAME:
        raise TamperedError("a reply too large")
    if not is_encodable(plain):
        raise TamperedError("a name that no program can have")
    return plain


def is_encodable(text: str) -> bool:
    """Return whether the text can be written as UTF-8, that is, has no lone surrogates."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _checked_text(plain: Any, limit: int) -> str:
    """Return a text of the program's, which may contain lone surrogates."""
    if type(plain) is not str:
        raise TamperedError("a misshapen reply")
    if len(plain) > limit:
        raise TamperedError("a reply too large")
    return plain


def value_from(plain: Any, depth: int = 0) -> Value:
    """Convert `["kind", text]`, `["kind", [values]]` or `["kind", type, [values]]` to a value.

    Raise TamperedError for other data and for values that are nested too deep.
    """
    if type(plain) is not list or len(plain) not in (2, 3) or type(plain[0]) is not str:
        raise TamperedError("a misshapen value")
    kind, content = KINDS.get(plain[0]), plain[-1]
    if kind is None:
        raise TamperedError("an unknown kind of value")
    named = len(plain) == 3
    if not named and plain[0] not in _CONTAINERS:
        return _scalar(kind, content)
    if depth >= MAX_DEPTH:
        raise TamperedError("a reply nested too deep")
    if type(content) is not list or named != (kind in NAMED_CONTAINERS):
        raise TamperedError("a misshapen value")
    items = tuple([value_from(part, depth + 1) for part in content])
    _check_items(kind, items)
    if kind in (ValueKind.SET, ValueKind.FROZENSET):
        items = tuple(sorted(items, key=Value.source))
    return Value(kind, checked_name(plain[1]) if named else "", items)


def _check_items(kind: ValueKind, items: tuple[Value, ...]) -> None:
    if kind in (ValueKind.DICT, ValueKind.OBJECT) and len(items) % 2:
        raise TamperedError("a misshapen value")
    if kind is ValueKind.OBJECT and any(name.kind is not ValueKind.STR for name in items[::2]):
        raise TamperedError("a misshapen value")
    if kind is ValueKind.FOREIGN and [item.kind for item in items] != [ValueKind.STR]:
        raise TamperedError("a misshapen value")


def _scalar(kind: ValueKind, text: Any) -> Value:
    if type(text) is not str:
        raise TamperedError("a misshapen value")
    if kind is not ValueKind.STR and not _is_spelled(kind, text):
        raise TamperedError("a value that Python writes differently")
    return Value.simple(kind, text)


@functools.lru_cache(maxsize=4096)
def _is_short_spelled(kind: ValueKind, text: str) -> bool:
    return _SPELLINGS[kind](text)


def _is_spelled(kind: ValueKind, text: str) -> bool:
    """Return whether `inside.messages.codec` would write a value of this kind with this text."""
    if len(text) <= _SHORT:
        return _is_short_spelled(kind, text)
    return _SPELLINGS[kind](text)


def _one_of(*texts: str) -> Callable[[str], bool]:
    return frozenset(texts).__contains__


def _matches(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: compiled.fullmatch(text) is not None


def _repeats(read: Callable[[str], object]) -> Callable[[str], bool]:
    """Return a test for texts that stay the same if `read` parses them and `repr` writes the
    result.
    """

    def spells(text: str) -> bool:
        try:
            return repr(read(text)) == text
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return False

    return spells


def _is_bytes(text: str) -> bool:
    return text.startswith(("b'", 'b"')) and _repeats(ast.literal_eval)(text)


def _is_name(text: str) -> bool:
    return len(text) <= MAX_NAME and is_encodable(text)


_INT = rf"(?:0|-?[1-9]\d{{0,{MAX_INT_DIGITS - 1}}})"
_SPELLINGS: dict[ValueKind, Callable[[str], bool]] = {
    ValueKind.NONE: _one_of("None"),
    ValueKind.BOOL: _one_of("True", "False"),
    ValueKind.ELLIPSIS: _one_of("Ellipsis"),
    ValueKind.INT: _matches(_INT),
    ValueKind.FLOAT: _repeats(float),
    ValueKind.COMPLEX: _repeats(complex),
    ValueKind.BYTES: _is_bytes,
    ValueKind.RANGE: _matches(rf"range\({_INT}, {_INT}(?:, {_INT})?\)"),
    ValueKind.FOREIGN: _is_name,
    ValueKind.UNREADABLE: _is_name,
    ValueKind.FUNCTION: _is_name,
    ValueKind.OBJECT: _one_of(),  # these two have items
    ValueKind.ITERATOR: _one_of(),
    ValueKind.CYCLE: _one_of(""),
    ValueKind.TOO_LARGE: _matches(
        r"more than \d+ (?:characters|parts|attributes)|nested more than \d+ deep|\d+ bytes"
        r"|an integer of (?:\d+ bits|too many digits)|a text of \d+ characters"
    ),
}


class _SentValue(Value):
    """Marks a field for `serial`: a value in the format of a scenario's process."""

    from_plain = staticmethod(value_from)


class _SentVariable(NamedValue):
    """Marks a field for `serial`: a variable, `["name", value]`."""

    @staticmethod
    def from_plain(plain: Any) -> NamedValue:
        if type(plain) is not list or len(plain) != 2:
            raise TamperedError("a misshapen reply")
        return NamedValue(name=checked_name(plain[0]), value=value_from(plain[1]))


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameReply:
    """A place in a student's file, as received. The text of the line is added on this side."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedReply:
    """An exception, as received."""

    type_name: str
    message: str
    bases: tuple[str, ...] = ()
    frames: tuple[FrameReply, ...] = ()
    names: NameHint | None = None

    def check_size(self) -> None:
        """Raise TamperedError if a part is larger than our code makes it, or not a name."""
        if max(len(self.frames), len(self.bases)) > MAX_FRAMES:
            raise TamperedError("a reply too large")
        _checked_text(self.message, MAX_MESSAGE)
        for name in (self.type_name, *self.bases):
            checked_name(name)
        for frame in self.frames:
            checked_name(frame.file)
            checked_name(frame.function)
        if self.names is not None:
            for name in (self.names.name, self.names.owner, self.names.near):
                checked_name(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReply:
    """The effects of a session step, as received."""

    value: _SentValue | None = None
    raised: RaisedReply | None = None
    shown: str = ""

    def check_size(self) -> None:
        """Raise TamperedError if a part is larger than our code makes it, or not a name."""
        _checked_text(self.shown, MAX_SHOWN)
        if self.raised is not None:
            self.raised.check_size()


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnReply:
    """A line, bars or points of a plot, as received."""

    label: str
    x: _SentValue
    y: _SentValue
    names: tuple[str, ...]

    def check(self) -> None:
        """Raise TamperedError if our code cannot have described it."""
        for values in (self.x, self.y):
            if values.kind is not ValueKind.TOO_LARGE and not _is_flat(values):
                raise TamperedError("a misshapen reply")
        if self.names and len(self.names) != len(self.x.items):
            raise TamperedError("a misshapen reply")
        _check_labels((self.label, *self.names))

    def drawn(self) -> Drawn:
        return Drawn(label=self.label, x=self.x, y=self.y, names=self.names)


def _is_flat(values: Value) -> bool:
    """Return whether `values` is a list of only numbers and texts."""
    kinds = {part.kind for part in values.items}
    return values.kind is ValueKind.LIST and kinds <= _OF_DATA


def _check_labels(texts: Iterable[str]) -> None:
    for text in texts:
        if not is_encodable(_checked_text(text, MAX_LABEL)):
            raise TamperedError("a misshapen reply")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotReply:
    """A plot of a figure, as received."""

    title: str
    x_label: str
    y_label: str
    legend: tuple[str, ...] | None
    lines: tuple[DrawnReply, ...]
    bars: tuple[DrawnReply, ...]
    points: tuple[DrawnReply, ...]

    def check(self) -> None:
        """Raise TamperedError if our code cannot have described it."""
        legend = self.legend or ()
        for parts in (legend, self.lines, self.bars, self.points):
            if len(parts) > MAX_DRAWN:
                raise TamperedError("a reply too large")
        _check_labels((self.title, self.x_label, self.y_label, *legend))
        for drawn in (*self.lines, *self.bars, *self.points):
            drawn.check()

    def plot(self) -> Plot:
        return Plot(
            title=self.title,
            x_label=self.x_label,
            y_label=self.y_label,
            legend=self.legend,
            lines=tuple(map(DrawnReply.drawn, self.lines)),
            bars=tuple(map(DrawnReply.drawn, self.bars)),
            points=tuple(map(DrawnReply.drawn, self.points)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureReply:
    """A figure, as received."""

    title: str
    plots: tuple[PlotReply, ...]
    picture: str

    def check(self) -> None:
        """Raise TamperedError if our code cannot have described it."""
        if len(self.plots) > MAX_PLOTS:
            raise TamperedError("a reply too large")
        _check_labels((self.title,))
        if self.picture:
            _check_picture(self.picture)
        for plot in self.plots:
            plot.check()

    def figure(self) -> Figure:
        plots = tuple(map(PlotReply.plot, self.plots))
        return Figure(title=self.title, plots=plots, picture=self.picture)


def _check_picture(text: str) -> None:
    """Raise TamperedError unless the text is a small PNG in base64.

    The picture is not decoded further.
    """
    try:
        data = base64.b64decode(_checked_text(text, 2 * MAX_PICTURE), validate=True)
    except ValueError:
        raise TamperedError("an unreadable reply") from None
    sides = [int.from_bytes(data[start : start + 4], "big") for start in (16, 20)]
    if len(data) > MAX_PICTURE or not all(0 < side <= MAX_PIXELS for side in sides):
        raise TamperedError("a reply too large")
    if not data.startswith(_PNG):
        raise TamperedError("a misshapen reply")


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalReply:
    """The final message of a scenario's process, field by field as received; None for a missing
    field.
    """

    phase: Phase | None = None
    value: _SentValue | None = None
    raised: RaisedReply | None = None
    cell_error: RaisedReply | None = None  # the first that ended a cell of a notebook
    before: tuple[_SentValue, ...] | None = None  # positional arguments of a plain call
    after: tuple[_SentValue, ...] | None = None  # the same after the call
    variables: tuple[_SentVariable, ...] | None = None
    exit: int | None = None
    missing: str | None = None  # a function that the submission does not define
    near: str = ""  # the name in it that is most like that one
    open: tuple[str, ...] = ()  # files that are not closed
    memory: bool = False  # memory ran out
    loop: str | None = None  # the place of the loop
    recursion: str | None = None  # the line of a function that called itself again and again
    stderr: str | None = None  # the text of stderr, if the screen does not show it
    lines: int | None = None  # of the program that ran, if they are counted
    figures: tuple[FigureReply, ...] | None = None  # if they are kept

    def check_size(self) -> None:
        """Raise TamperedError if a part is larger than our code makes it, or not a name."""
        if len(self.open) > MAX_LEFT_OPEN:
            raise TamperedError("a reply too large")
        for name in (self.missing or "", self.near, *self.open):
            checked_name(name)
        for place in (self.loop or "", self.recursion or ""):
            checked_name(place)
        if self.stderr is not None and not is_encodable(_checked_text(self.stderr, MAX_STDERR)):
            raise TamperedError("a misshapen reply")
        for raised in (self.raised, self.cell_error):
            if raised is not None:
                raised.check_size()
        if len(self.figures or ()) > MAX_FIGURES:
            raise TamperedError("a reply too large")
        for figure in self.figures or ():
            figure.check()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Everything that a scenario's process reported."""

    steps: tuple[StepReply, ...] = ()
    final: FinalReply | None = None
    broken: str | None = None  # why a provided file failed to load
    reached: tuple[Phase, ...] = ()  # the phases that a call or a session said it reached
    trace: tuple[str, ...] = ()  # the lines that ran, each when it did so for the first time


class FrameBuffer:
    """Splits a process's bytes into complete messages. `data` holds the incomplete rest."""

    def __init__(self) -> None:
        self.data = bytearray()

    def next(self, more: bytes = b"") -> bytes | None:
        """Add `more` bytes. Return the next message, or None if it is not complete yet.

        Raise TamperedError if it is empty or too large.
        """
        data = self.data
        if not data and is_one_frame(more):  # most messages come whole, and need no copies
            return more[HEAD:]
        data += more
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


def is_one_frame(data: bytes) -> bool:
    """Return whether these bytes are exactly one message of permitted length."""
    length = len(data) - HEAD
    if not 1 <= length <= MAX_REPLY_BYTES:
        return False
    return int.from_bytes(data[:HEAD], "little") == length


def read_reply(frames: tuple[bytes, ...]) -> Reply:
    """Convert these messages to a reply. Raise TamperedError if they break the protocol."""
    return _cached(frames) if sum(map(len, frames)) <= _SHORT else _read(frames)


class _ReplyReader:
    """Collects a process's messages, in order, into a reply."""

    def __init__(self) -> None:
        self.steps: list[StepReply] = []
        self.final: FinalReply | None = None
        self.broken: str | None = None
        self.reached: list[Phase] = []
        self.trace: list[str] = []
        self._submission_ran = False

    def take(self, kind: bytes, body: bytes) -> None:
        """Add a message. Raise TamperedError if its kind cannot come here."""
        if kind == FromScenario.ASKS_FOR_INPUT:
            return
        if self.final is not None or self.broken is not None:
            raise TamperedError("more than one reply")
        if kind == FromScenario.SUBMISSION_RUNS and not self._submission_ran:
            self._submission_ran = True
        elif kind == FromScenario.BROKEN and not self._submission_ran:  # later it is a lie
            self.broken = read_as(str, body)
        elif kind == FromScenario.REACHED:
            self.reached.append(read_as(Phase, body))
        elif kind == FromScenario.LINE_RAN and len(self.trace) < MAX_TRACED_LINES:
            self.trace.append(checked_name(read_as(str, body)))
        elif kind == FromScenario.STEP:
            step = read_as(StepReply, body)
            step.check_size()
            self.steps.append(step)
        elif kind == FromScenario.ANSWER:
            self.final = read_as(FinalReply, body)
            self.final.check_size()
        else:
            raise TamperedError("an unknown reply")


def _read(frames: tuple[bytes, ...]) -> Reply:
    reader = _ReplyReader()
    for frame in frames:
        reader.take(*split(frame))
    return Reply(
        steps=tuple(reader.steps),
        final=reader.final,
        broken=reader.broken,
        reached=tuple(reader.reached),
        trace=tuple(reader.trace),
    )


_cached = functools.lru_cache(maxsize=4096)(_read)


def read_text(frames: tuple[bytes, ...]) -> str | None:
    """Return a tool's answer; None if it gave none."""
    found = [body for kind, body in map(split, frames) if kind == FromTool.ANSWER]
    if len(found) > 1:
        raise TamperedError("more than one reply")
    return read_as(str, found[0]) if found else None


def read_as(kind: type[T], body: bytes) -> T:
    """Convert a message's body to an object of class `kind`.

    Raise TamperedError if it does not fit.
    """
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
