"""Output that nobody reads any more ends no command: `harness grade … | head` grades on."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO


class _Patient(io.FileIO):
    """A descriptor that takes everything, also when its reader has left."""

    def write(self, data: object, /) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return super().write(data)  # type: ignore[arg-type]


def ignore_epipe() -> None:
    """Give `sys.stdout` and `sys.stderr` this patience, and a way to show characters that the
    terminal does not have. What is no plain file of the system is left alone."""
    sys.stdout = _patient(sys.stdout)
    sys.stderr = _patient(sys.stderr)


def _patient(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_Patient(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
