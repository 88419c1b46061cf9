"""The limits on one scenario's time, checked at every event."""

from __future__ import annotations

import contextlib
import time

from harness.common.errors import HarnessError
from harness.execution.inside.messages import frames
from harness.execution.linux import kernel
from harness.execution.linux.base_process import ServerProcess
from harness.execution.linux.kernel import ProcessClock
from harness.model.observation import Ending
from harness.model.stimulus import Limits

_HEARTBEAT = 0.25  # seconds between two looks at most
_PATIENCE = 20.0  # seconds for our own server to answer
_STANDSTILL = 0.5  # seconds; a shorter delay is what looking takes


class ScenarioClock:
    """How much of its limits a scenario's process has used, by the kernel's count.

    Nothing is asked of the kernel before the shorter limit can be over. `due` is the time
    (`time.monotonic()`) from which `passed` is worth calling again.
    """

    def __init__(self, server: ServerProcess, limits: Limits) -> None:
        self._server = server
        self._limits = limits
        self._shortest = min(limits.cpu_seconds, limits.wall_seconds)
        self._started = time.monotonic()
        self._clock: ProcessClock | None = None
        self._asked_for_pid = False
        self._excluded = 0.0
        self._own_cpu = time.thread_time()
        self.due = self._started + min(_HEARTBEAT, self._shortest)

    def passed(self) -> Ending | None:
        """The limit that is over, if any. HarnessError when our own server does not answer."""
        now = time.monotonic()
        elapsed = now - self._started
        self._exclude_standstill(now)
        if elapsed < self._shortest:
            self.due = now + min(_HEARTBEAT, self._shortest - elapsed)
            return None
        self.due = now + _HEARTBEAT
        if self._clock is None:
            if not self._asked_for_pid:
                self._asked_for_pid = True
                send_to_server(self._server, b"?")
            if elapsed > self._shortest + _PATIENCE:
                raise HarnessError("a submission server does not answer")
            return None
        cpu_left = self._limits.cpu_seconds - self._clock.cpu()
        if cpu_left <= 0:
            return Ending.CPU_LIMIT
        sleep_left = self._limits.wall_seconds + self._excluded - self._clock.asleep(elapsed)
        if sleep_left <= 0:
            return Ending.TIMEOUT
        self.due = now + min(_HEARTBEAT, cpu_left, sleep_left)
        return None

    def exclude(self, seconds: float) -> None:
        """Do not count so much time asleep, in which the process waited for another of ours."""
        self._excluded += seconds
        self.due += seconds  # nor is it a standstill: nobody looked meanwhile

    def _exclude_standstill(self, now: float) -> None:
        """Do not count time in which we were to look and neither did nor computed: the machine or
        our own process stood still (suspended, stopped), and the scenario with it, or it waited
        for us. What we take to look is counted: a program could make that long."""
        own_cpu = time.thread_time()
        late = now - self.due - (own_cpu - self._own_cpu)
        self._own_cpu = own_cpu
        if late > _STANDSTILL:
            self._excluded += late

    def identify(self, number: int, descriptors: list[int]) -> None:
        """The server's answer: the process's number there, and a pidfd where it has one."""
        with contextlib.suppress(kernel.GoneError):  # the news of its end is on its way
            self._clock = ProcessClock(kernel.resolve_pid(number, descriptors))
            self.due = time.monotonic()


def send_to_server(server: ServerProcess, message: bytes) -> None:
    """Send a server one of its short messages; HarnessError when it has ended."""
    try:
        frames.send_to_socket(server.control, message)
    except OSError:
        raise HarnessError("a submission server ended") from None


def hear_from_server(server: ServerProcess) -> tuple[bytes, list[int], list[int]]:
    """A server's next message as kind, numbers and descriptors; HarnessError when it has ended."""
    try:
        message = frames.receive_from_socket(server.control)
    except (OSError, EOFError):
        message = None
    if message is None:
        raise HarnessError("a submission server ended")
    kind, *numbers = message[0].split()
    return kind, [int(number) for number in numbers], message[1]
