"""A closed output pipe does not end a command: `harness grade … | head` grades all."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO


class _IgnoringEpipe(io.FileIO):
    """A descriptor that discards what is written after its reader has closed the pipe."""

    def write(self, data: object, /) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return super().write(data)  # type: ignore[arg-type]


def ignore_epipe() -> None:
    """Let `sys.stdout` and `sys.stderr` ignore a closed pipe, and write characters that their
    encoding lacks as escapes. A stream that is not a file of the system is left as it is."""
    sys.stdout = _ignoring_epipe(sys.stdout)
    sys.stderr = _ignoring_epipe(sys.stderr)


def _ignoring_epipe(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(_IgnoringEpipe(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
