"""Replaces the standard streams of a program.

The new streams behave as Python's own do, over a descriptor if there is one.
"""

from __future__ import annotations

import io
import os
import sys
from os import read, write

from ..running import ProgramLeft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_IS_WINDOWS = os.name == "nt"
_PIPE_HOLDS = 4096 if _IS_WINDOWS else 65536  # bytes that nobody has to read at once
# Gives the two ends of the pipe of `pipe_in`; a browser, whose own pipes never end, changes it.
make_pipe: Callable[[], tuple[int, int]] = os.pipe
_INPUT_NEWLINE = None if _IS_WINDOWS else "\n"


def _named(raw: io.RawIOBase, name: str) -> io.RawIOBase:
    raw.name = name  # type: ignore[attr-defined]
    return raw


def _input_stream(raw: io.RawIOBase, *, by_line: bool) -> io.TextIOWrapper:
    """Return a text stream for `sys.stdin` over these bytes, with the interpreter's own
    settings.
    """
    buffered = io.BufferedReader(_named(raw, "<stdin>"))
    stream = io.TextIOWrapper(
        buffered, encoding="utf-8", newline=_INPUT_NEWLINE, line_buffering=by_line
    )
    stream.mode = "r"  # type: ignore[misc]
    return stream


def _replace_stdin(stream: io.TextIOWrapper) -> None:
    """Set `sys.stdin`, and keep the earlier stream open, because the program may still use its
    buffer.
    """
    sys.stdin = sys.__stdin__ = stream  # type: ignore[misc]


def pipe_in(content: bytes) -> None:
    """Make descriptor 0 a pipe that holds `content`, and `sys.stdin` a stream over it.

    A pipe has a limited size and no process is here to refill it. Any further content can be read
    with `sys.stdin` and `os.read`, but not with `open(0)`.
    """
    if len(content) > _PIPE_HOLDS:
        left = io.BytesIO(content)
        install_input(left.read, is_terminal=False)
        return
    for_reading, for_writing = make_pipe()
    write(for_writing, content)
    os.close(for_writing)
    os.dup2(for_reading, 0)
    os.close(for_reading)
    _replace_stdin(_input_stream(io.FileIO(0, closefd=False), by_line=False))


def install_terminal_input() -> None:
    """Let `sys.stdin` be a stream over descriptor 0, as it is on a terminal."""
    _replace_stdin(_input_stream(io.FileIO(0, closefd=False), by_line=True))


class AskedInput(io.RawIOBase):
    """Raw standard input.

    `take(n)` returns up to n bytes. It has no descriptor, so that `input()` cannot read around it.
    """

    mode = "rb"

    def __init__(self, take: Callable[[int], bytes], *, is_terminal: bool) -> None:
        self._take = take
        self._is_terminal = is_terminal

    def readable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._is_terminal

    def readinto(self, buffer: Any) -> int:
        data = self._take(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def install_input(take: Callable[[int], bytes], *, is_terminal: bool = True) -> None:
    """Make reads of `sys.stdin`, and of descriptor 0 with `os.read`, call `take`."""

    def asking_read(descriptor: int, length: int, /) -> bytes:
        return take(length) if descriptor == 0 else read(descriptor, length)

    _put("read", asking_read)
    raw = AskedInput(take, is_terminal=is_terminal)
    _replace_stdin(_input_stream(raw, by_line=is_terminal))


def _put(name: str, function: Callable[..., Any]) -> None:
    """Replace the function `name` in `os` and in the built-in module behind it (`posix` or
    `nt`).
    """
    for module in (os, sys.modules[os.name]):
        setattr(module, name, function)


def install_outputs(kind: type[io.FileIO]) -> None:
    """Make `sys.stdout` and `sys.stderr` streams of this class over descriptors 1 and 2, with the
    settings for a terminal.
    """

    def text(number: int, name: str, errors: str) -> io.TextIOWrapper:
        buffered = io.BufferedWriter(_named(kind(number, "w", closefd=False), name))
        stream = io.TextIOWrapper(
            buffered, encoding="utf-8", errors=errors, newline="\n", line_buffering=True
        )
        stream.mode = "w"  # type: ignore[misc]
        return stream

    sys.stdout = sys.__stdout__ = text(1, "<stdout>", "strict")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = text(2, "<stderr>", "backslashreplace")  # type: ignore[misc]


_MAX_STDERR_LENGTH = 100_000  # bytes


class KeptBytes(io.BytesIO):
    """Bytes in memory that can still be read after the program has closed the stream."""

    def close(self) -> None:
        """Do nothing: the bytes are still needed."""

    def stream(self) -> io.TextIOWrapper:
        return io.TextIOWrapper(
            self, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True
        )

    def text(self) -> str:
        return io.BytesIO.getvalue(self)[:_MAX_STDERR_LENGTH].decode("utf-8", "replace")


class _CapturedOutput(io.RawIOBase):
    """Collects a program's output to descriptor 1 or 2, whether printed or written with
    `os.write`.
    """

    mode = "wb"

    def __init__(self, number: int) -> None:
        self._number = number
        self._kept = bytearray()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._number

    def isatty(self) -> bool:
        return False

    def write(self, data: Any, /) -> int:
        written = bytes(data)
        self._kept += written
        return len(written)

    def text(self) -> str:
        return self._kept.decode("utf-8", "backslashreplace")


_CapturedOutput.__name__ = _CapturedOutput.__qualname__ = "FileIO"  # for programs that print it
_CapturedOutput.__module__ = "_io"


class PipedStreams:
    """Makes a program's standard streams behave as pipes until `close`, as if another program had
    started it.
    """

    def __init__(self, content: bytes) -> None:
        self._streams = {name: getattr(sys, name) for name in _STREAMS}
        self._functions = {name: getattr(os, name) for name in _FUNCTIONS}
        self._is_left = False
        self._input = os.dup(0)
        self._output, self._errors = _CapturedOutput(1), _CapturedOutput(2)
        self._unflushed: list[io.IOBase] = []
        _put("read", read)
        _put("write", self._write)
        _put("isatty", self._isatty)
        _put("_exit", self._exit)
        pipe_in(content)
        sys.stdout = sys.__stdout__ = self._stream(self._output, "<stdout>", "strict")  # type: ignore[misc]
        errors = self._stream(self._errors, "<stderr>", "backslashreplace")
        errors.reconfigure(line_buffering=True)
        sys.stderr = sys.__stderr__ = errors  # type: ignore[misc]

    def _stream(self, raw: _CapturedOutput, name: str, errors: str) -> io.TextIOWrapper:
        buffered = io.BufferedWriter(_named(raw, name))
        stream = io.TextIOWrapper(buffered, encoding="utf-8", errors=errors, newline="\n")
        self._unflushed += [stream, buffered]
        stream.mode = "w"  # type: ignore[misc]
        return stream

    def _write(self, descriptor: int, data: Any, /) -> int:
        for number, raw in ((1, self._output), (2, self._errors)):
            if descriptor == number:
                return raw.write(data)
        return write(descriptor, data)

    def _isatty(self, descriptor: int, /) -> bool:
        return descriptor > 2 and self._functions["isatty"](descriptor)

    def _exit(self, status: int) -> None:
        """Replace `os._exit`: end the program but not the process, by an exception that its
        `except:` may still catch.
        """
        self._is_left = True
        raise ProgramLeft(status & 0xFF)

    def close(self) -> tuple[str, str]:
        """Restore the earlier streams.

        Return the texts written to standard output and standard error.
        """
        output, errors = self._written()
        for name, stream in self._streams.items():
            setattr(sys, name, stream)
        for name, function in self._functions.items():
            _put(name, function)
        os.dup2(self._input, 0)
        os.close(self._input)
        return output, errors

    def _written(self) -> tuple[str, str]:
        if self._is_left:  # what is not written yet is lost, as with a process
            self._unflushed.clear()
        for stream in self._unflushed:
            try:
                stream.flush()
            except ValueError:  # closed or detached by the program
                continue
        return self._output.text(), self._errors.text()


_FUNCTIONS = ("read", "write", "isatty", "_exit")
_STREAMS = ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")
