"""The standard streams of a program: each lives and behaves as Python's own, over its descriptor
if it has one."""

from __future__ import annotations

import io
import os
import sys
from os import read, write

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
    """Return `sys.stdin` over these bytes, made as the interpreter makes it."""
    buffered = io.BufferedReader(_named(raw, "<stdin>"))
    stream = io.TextIOWrapper(
        buffered, encoding="utf-8", newline=_INPUT_NEWLINE, line_buffering=by_line
    )
    stream.mode = "r"  # type: ignore[misc]
    return stream


def _replace_stdin(stream: io.TextIOWrapper) -> None:
    """Keep the earlier stream open: a program may have kept a part of it."""
    sys.stdin = sys.__stdin__ = stream  # type: ignore[misc]


def pipe_in(content: bytes) -> None:
    """Let descriptor 0 be a pipe that holds `content`, and `sys.stdin` a stream over it. A pipe
    holds only so much, and no process is here to fill it: more is given out by `sys.stdin` and
    `os.read`, but not to a file opened by the number 0."""
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
    """Standard input of which `take` gives up to so many bytes. It has no descriptor number, so
    that `input()` cannot read past it."""

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
    """Have `take` answer reads of `sys.stdin`, and of descriptor 0 by `os.read`."""

    def asking_read(descriptor: int, length: int, /) -> bytes:
        return take(length) if descriptor == 0 else read(descriptor, length)

    os.read = sys.modules[os.name].read = asking_read  # type: ignore[attr-defined]
    raw = AskedInput(take, is_terminal=is_terminal)
    _replace_stdin(_input_stream(raw, by_line=is_terminal))


def install_outputs(kind: type[io.FileIO]) -> None:
    """Put text streams of this kind over descriptors 1 and 2, as they are on a terminal."""

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
    """Bytes that can still be read when the program has closed their stream."""

    def close(self) -> None:
        """Do nothing: the bytes are still needed."""

    def stream(self) -> io.TextIOWrapper:
        return io.TextIOWrapper(
            self, encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True
        )

    def text(self) -> str:
        return io.BytesIO.getvalue(self)[:_MAX_STDERR_LENGTH].decode("utf-8", "replace")
