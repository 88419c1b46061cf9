"""Standard streams over pipes that look like a terminal's, where there is no terminal to be had.

Descriptor 1 takes all that is shown, standard error's text among it and in its order; what the
process says of itself goes where descriptor 2 led. What is typed comes framed over descriptor 0,
and only when asked for. That it is asked for stands among the text: a reader of the text then
has all that was shown before.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would bring in `enum`
import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SIZE = (80, 24)  # of the terminal that scenarios have elsewhere
_read, _write = os.read, os.write


def exactly(count: int) -> bytes:
    """So many bytes of descriptor 0; SystemExit when nobody is there any more."""
    data = b""
    while len(data) < count:
        part = _read(0, count - len(data))
        if not part:
            raise SystemExit(1)
        data += part
    return data


def framed() -> bytes:
    """The next message of descriptor 0."""
    return exactly(int.from_bytes(exactly(4), "little"))


class Keyboard:
    """What is typed, asked for by `word` among the text and given out as it is read."""

    def __init__(self, word: bytes) -> None:
        self._word = word
        self._left = b""

    def take(self, most: int) -> bytes:
        """Up to `most` bytes of a line; none at an end of input. Ctrl-C happens in here."""
        while not self._left:
            _write(1, self._word)
            message = framed()
            if message[:1] == b"D":
                return b""
            if message[:1] == b"C":
                _signal.raise_signal(_signal.SIGINT)
            self._left = message[1:]
        data, self._left = self._left[:most], self._left[most:]
        return data


class _Input(io.RawIOBase):
    """Standard input: it has no descriptor to offer, so that `input()` comes this way too."""

    def __init__(self, keyboard: Keyboard) -> None:
        self._keyboard = keyboard

    def readable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._keyboard.take(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class _Output(io.FileIO):
    """Descriptor 1, which says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def install(word: bytes) -> int:
    """Put all of it in place; the descriptor for what the process says of itself."""
    said = os.dup(2)
    os.dup2(1, 2)
    # A job in the background of a script ignores Ctrl-C, and whatever it starts would.
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    keyboard = Keyboard(word)

    def read(descriptor: int, length: int, /) -> bytes:
        return keyboard.take(length) if descriptor == 0 else _read(descriptor, length)

    real_isatty, real_size = os.isatty, os.get_terminal_size

    def isatty(descriptor: int, /) -> bool:
        return descriptor in (0, 1, 2) or real_isatty(descriptor)

    def get_terminal_size(descriptor: int = 1, /) -> os.terminal_size:
        return os.terminal_size(_SIZE) if descriptor in (0, 1, 2) else real_size(descriptor)

    low_level = sys.modules[os.name]  # `posix` or `nt`
    for module in (os, low_level):
        for function in (read, isatty, get_terminal_size):
            setattr(module, function.__name__, function)
    sys.stdin = sys.__stdin__ = _text(io.BufferedReader(_Input(keyboard)), "strict")  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = _text(_shown(1), "strict")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _text(_shown(2), "backslashreplace")  # type: ignore[misc]
    return said


def _shown(descriptor: int) -> io.BufferedWriter:
    return io.BufferedWriter(_Output(descriptor, "w", closefd=False))


def _text(stream: Any, errors: str) -> io.TextIOWrapper:
    newline = "\n" if stream.writable() else None
    return io.TextIOWrapper(
        stream, encoding="utf-8", errors=errors, newline=newline, line_buffering=True
    )
