"""The server of an assignment's stand-in modules, and a process of it for each scenario."""

from __future__ import annotations

import os
import select
import time

from harness.execution.linux.channel import CHUNK, ScenarioChannel
from harness.execution.linux.scenario_clock import (
    ScenarioClock,
    hear_from_server,
    send_to_server,
)
from harness.execution.linux.server import ServerLink
from harness.execution.protocol.reply import LARGEST, FrameBuffer
from harness.execution.remote import StandInUnusableError, next_message
from harness.model.observation import Ending
from harness.model.stimulus import Limits

_NEVER = 1e9  # seconds: between two calls a stand-in sleeps as long as the submission likes
_HEARTBEAT = 0.25
_LOADED_MACHINE = 10  # how much slower than real time a CPU second may be
_MIB = 1024 * 1024


class LinuxStandIn:
    """One scenario's process with the stand-in modules; a context manager."""

    def __init__(self, link: ServerLink, job: dict[str, object], limits: Limits) -> None:
        self._server = link.server
        self._limits = limits
        self._received = FrameBuffer()
        self._ended = False
        self._channel = ScenarioChannel()
        nowhere = os.open(os.devnull, os.O_RDWR)
        try:
            link.start(job, nowhere, self._channel, memory=limits.memory_mib * _MIB)
        finally:
            os.close(nowhere)
        only_cpu = Limits(cpu_seconds=limits.cpu_seconds, wall_seconds=_NEVER)
        self._clock = ScenarioClock(self._server, only_cpu)
        self._events = select.poll()
        self._events.register(self._channel.fileno(), select.POLLIN)
        self._events.register(self._server.control.fileno(), select.POLLIN)

    def __enter__(self) -> LinuxStandIn:
        return self

    def __exit__(self, *_: object) -> None:
        """End the process and wait until its server says that it is gone."""
        self._channel.close()
        if not self._ended:
            send_to_server(self._server, b"K")
            while not self._ended:
                self._hear_from_server()

    def send(self, message: bytes) -> None:
        """Part of `StandInProcess`."""
        self._channel.send(message)

    def receive(self) -> bytes:
        """Part of `StandInProcess`."""
        begun = time.monotonic()
        longest = self._limits.wall_seconds + _LOADED_MACHINE * self._limits.cpu_seconds
        while True:
            message = next_message(self._received)
            if message is not None:
                return message
            if self._ended:
                raise StandInUnusableError(Ending.STAND_IN_FAILED, "it ended by itself")
            wait = min(_HEARTBEAT, max(self._clock.due - time.monotonic(), 0.001))
            ready = [number for number, _ in self._events.poll(1000 * wait)]
            if self._channel.fileno() in ready:
                data = self._channel.read()
                self._received.add(data)
                if data:
                    continue
            if self._server.control.fileno() in ready:
                self._hear_from_server()
            now = time.monotonic()
            late = now >= self._clock.due and self._clock.passed() is not None
            if late or now - begun > longest:
                raise StandInUnusableError(Ending.STAND_IN_FAILED, "it ran out of time")

    def _hear_from_server(self) -> None:
        kind, numbers, descriptors = hear_from_server(self._server)
        if kind == b"E":
            self._received.add(self._channel_rest())
            self._ended = True
        elif kind == b"P":
            self._clock.identify(numbers[0], descriptors)

    def _channel_rest(self) -> bytes:
        rest = b""
        while data := self._channel.read():
            rest += data
            if len(data) < CHUNK or len(rest) > LARGEST:
                break
        return rest
