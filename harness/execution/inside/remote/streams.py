"""Replaces the standard streams of a program that a test uses: the test gets the program's output
and provides its input.
"""

from __future__ import annotations

import builtins
import io
import sys
from codecs import getincrementaldecoder

from ..scenario.streams import pipe_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .server import ProgramServer

_MAX_SAID = 1_000_000  # characters that a test hears of


class Echo(io.BufferedIOBase):
    """An output stream of the program.

    Its bytes go to the program's terminal and, with the next message, to the test.
    """

    def __init__(self, terminal: Any, name: str, said: list[tuple[str, str]]) -> None:
        self._terminal = terminal
        self._name = name
        self._said = said
        self._left = _MAX_SAID
        self._decoder = getincrementaldecoder("utf-8")("backslashreplace")

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        written = bytes(data)
        self._terminal.write(written)
        if b"\n" in written:
            self._terminal.flush()
        if self._left > 0:
            kept = self._decoder.decode(written)[: self._left]
            self._left -= len(kept)
            self._said.append((self._name, kept))
        return len(written)

    def flush(self) -> None:
        if not self.closed:
            self._terminal.flush()


class AskedStdin(io.TextIOBase):
    """Standard input of the program. Each read asks the test's process."""

    def __init__(self, request: Callable[..., Any]) -> None:
        self._request = request

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> str:
        self._check_open()
        return str(self._request("stdin", "read", -1 if size is None else size))

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        self._check_open()
        return str(self._request("stdin", "readline", size))

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def __next__(self) -> str:  # type: ignore[override]
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def isatty(self) -> bool:
        return False


def install_streams(server: ProgramServer) -> None:
    """Connect the program's streams and `input` to the test.

    Descriptor 0 is empty and `sys.__stdout__` is not captured, as under pytest.
    """
    pipe_in(b"")
    for name, errors in (("stdout", "strict"), ("stderr", "backslashreplace")):
        echo = Echo(getattr(sys, name).buffer, name, server.said)
        stream = io.TextIOWrapper(
            echo,  # type: ignore[type-var]
            encoding="utf-8",
            errors=errors,
            newline="\n",
            write_through=True,
        )
        server.keep(stream)
        setattr(sys, name, stream)
    asked = AskedStdin(server.request)
    sys.stdin = asked
    usual = builtins.input

    def input(prompt: object = "", /) -> Any:
        reads_test = sys.stdin is asked and not asked.closed
        if reads_test or server.request("replaces_input"):
            return server.request("input", str(prompt))
        return usual(prompt)

    input.__qualname__ = "input"
    input.__module__ = "builtins"
    builtins.input = input
