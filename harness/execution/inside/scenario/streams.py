"""A scenario's standard input, and which of its files were left open.

Where the kernel does not tell of reads, standard input says so before it reads. `input()` goes
through it too, since it has no descriptor number to offer, and so does `os.read(0)`. Any other read
of descriptor 0 past `sys.stdin`, as of `open(0)`, is not seen: a program that waits in one ends at
its limit of time asleep.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from os import read
from select import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MOMENT = 0.02  # seconds
_MOST = 20
_LONGEST = 200
_WRITERS = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)


class AskingInput(io.RawIOBase):
    """The terminal's descriptor 0; `asks` is called before each read of it that would wait."""

    def __init__(self, asks: Callable[[], None]) -> None:
        self._asks = asks

    def readable(self) -> bool:
        """Part of the stream protocol."""
        return True

    def isatty(self) -> bool:
        """Part of the stream protocol: it is a terminal, as everywhere else."""
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        """Ask where nothing is there, then read as much as there is."""
        _await_input(self._asks)
        data = read(0, len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _await_input(asks: Callable[[], None]) -> None:
    """Ask for something to read where nothing is left, and wait for it. Whoever asks with a line
    half read would read the rest while the driver looks, and be sent the next line too early.

    A Ctrl-C that comes between the asking and a read would not be noticed in the read, which waits
    for ever: here it is, at the next turn."""
    if not select([0], [], [], 0)[0]:
        asks()
    while not select([0], [], [], _MOMENT)[0]:
        continue


def install(asks: Callable[[], None]) -> None:
    """Put it in the place of `sys.stdin`, and of `os.read` for descriptor 0."""

    def asking_read(descriptor: int, length: int, /) -> bytes:
        if descriptor == 0:
            _await_input(asks)
        return read(descriptor, length)

    os.read = sys.modules[os.name].read = asking_read  # type: ignore[attr-defined]
    raw = AskingInput(asks)
    stream = io.TextIOWrapper(
        io.BufferedReader(raw),  # type: ignore[type-var]
        encoding="utf-8",
        line_buffering=True,
    )
    sys.stdin = sys.__stdin__ = stream  # type: ignore[misc]


def left_open(*, finish: bool) -> list[str]:
    """The names of files that are still open for writing. With `finish` their text is written, as
    the interpreter does at the end of a program; a function leaves it unwritten."""
    names: list[str] = []
    for thing in gc.get_objects():
        kind = type(thing)
        if not any(kind is writer for writer in _WRITERS) or thing.closed:
            continue
        name = getattr(thing, "name", None)
        if type(name) is not str or name[:1] == "<" or not thing.writable():
            continue
        if finish:
            try:
                thing.flush()
            except (OSError, ValueError):  # as at the end of a program, nobody hears of it
                continue
        if name not in names and len(names) < _MOST:
            names.append(name[:_LONGEST])
    return sorted(names)


def piped(text: str) -> io.TextIOWrapper:
    """A standard input that is no terminal."""
    return io.TextIOWrapper(io.BytesIO(text.encode("utf-8")), encoding="utf-8")
