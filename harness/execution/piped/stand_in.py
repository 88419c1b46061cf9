"""The process of one scenario's stand-in modules, over pipes."""

from __future__ import annotations

import time

from harness.execution.inside.messages.frames import framed
from harness.execution.piped.monitor import CpuHeartbeat
from harness.execution.piped.process import Pipe, PipedProcess
from harness.execution.protocol.reply import FrameBuffer
from harness.execution.remote import StandInUnusableError, next_message
from harness.model.observation import Ending
from harness.model.stimulus import Limits

_PATIENCE = 60.0  # seconds for an interpreter to start, whatever the load
_LOADED_MACHINE = 10


class PipedStandIn:
    """Answers the calls of one scenario; whoever starts the process closes it."""

    def __init__(self, process: PipedProcess, beats: CpuHeartbeat, limits: Limits) -> None:
        self._process = process
        self._beats = beats
        self._limits = limits
        self._received = FrameBuffer()
        self._began = False

    def send(self, message: bytes) -> None:
        """Part of `StandInProcess`."""
        self._process.send(framed(message))

    def receive(self) -> bytes:
        """Part of `StandInProcess`."""
        begun = time.monotonic()
        longest = self._limits.wall_seconds + _LOADED_MACHINE * self._limits.cpu_seconds
        while True:
            message = self._next()
            if message is not None:
                return message
            event = self._process.hear(self._beats.period)
            if event is not None and event[0] is Pipe.SAID:
                self._received.add(event[1])
            elif event is None and self._process.has_ended():
                raise StandInUnusableError(Ending.STAND_IN_FAILED, "it ended by itself")
            waited = time.monotonic() - begun
            late = self._beats.cpu_seconds > self._limits.cpu_seconds or waited > longest
            if late if self._began else waited > _PATIENCE:
                raise StandInUnusableError(Ending.STAND_IN_FAILED, "it ran out of time")

    def _next(self) -> bytes | None:
        """The next frame that is not about time."""
        while (frame := next_message(self._received)) is not None:
            if frame[:1] == b"R":
                self._began = True
                self._beats.begin()
            elif frame[:1] == b"T" and frame[1:].isdigit():
                self._beats.hear(int(frame[1:]))
            elif frame[:1] != b"U":
                return frame
        return None
