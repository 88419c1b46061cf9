"""Stimuli as the grading interpreter compiles them: each text once, whatever the submissions."""

from __future__ import annotations

import marshal

from harness.execution.base_process import BaseProcess, ServerProcess
from harness.execution.inside import reading, wire
from harness.model.errors import HarnessError


class Questions:
    """A driver's, over all its submissions; they are read in a process that has none of these."""

    def __init__(self, base: BaseProcess) -> None:
        self._base = base
        self._reader: ServerProcess | None = base.start_server(reading.SETUP)
        self._kept: dict[tuple[object, ...], bytes] = {}

    def packed(self, functions: tuple[str, ...], asked: tuple[str, str, tuple[str, ...]]) -> bytes:
        """A stimulus's texts (what is given, the expression, the steps), read and compiled for an
        assignment with these public functions. HarnessError when our own machinery fails."""
        key = (functions, *asked)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = self._read(marshal.dumps(key, 2))
        return found

    def close(self) -> None:
        """End the reader."""
        if self._reader is not None:
            self._base.end_server(self._reader)
            self._reader = None

    def _read(self, texts: bytes) -> bytes:
        if self._reader is None:
            self._reader = self._base.start_server(reading.SETUP)
        try:
            wire.send(self._reader.control, texts)
            message = wire.receive(self._reader.control)
        except (OSError, EOFError):
            message = None
        if message is None:
            self.close()
            raise HarnessError(f"a stimulus was not read: {self._base.complaint()}")
        return message[0]
