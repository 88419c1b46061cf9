"""Watches one scenario's process from its start to its end, and types what it asks for; the limits
on its time are checked at every event."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterable

from harness.common.errors import HarnessError
from harness.execution.folder import SECONDS_BETWEEN_LOOKS, TOO_FULL
from harness.execution.linux.kernel import Listener, ProcessClock
from harness.execution.linux.pexpect_terminal import Terminal
from harness.execution.linux.processes import CHUNK, ScenarioChannel, ServerProcess
from harness.execution.runner import ScenarioMonitor
from harness.model.observation import Ending
from harness.model.stimulus import Limits, Typed

_QUIET = 0.02  # seconds in which a scenario's output may lie unread: most are over by then
_PATIENCE = 20.0  # seconds for our own server to end a process
_MICRO = 1e-6


class Monitor(ScenarioMonitor):
    """One scenario's process, forked from its server, on a terminal."""

    def __init__(
        self,
        server: ServerProcess,
        listener: Listener | None,
        terminal: Terminal,
        channel: ScenarioChannel,
        limits: Limits,
    ) -> None:
        super().__init__(terminal.screen, limits, channel.send)
        self._server = server
        self._listener = listener
        self._terminal = terminal
        self._channel = channel
        self._quiet = min(_QUIET, limits.cpu_seconds, limits.wall_seconds)
        self._ended: tuple[int, int] | None = None
        self._killed_at = 0.0
        self._events = select.poll()
        self._watched: set[int] = set()  # besides the server and the listener
        self._clock = ScenarioClock(server, limits)

    def _follow(self) -> tuple[int, float]:
        control = self._server.control.fileno()
        self._events.register(control, select.POLLIN)
        asking = None
        if self._listener is None or self._stand_in is not None:
            self._watch(self._channel.fileno())
        if self._listener is not None:
            self._events.register(self._listener.descriptor, select.POLLIN)
            asking = (self._listener.descriptor, select.POLLIN)
        watching_output = False
        while self._ended is None:
            wait = self._clock.due - time.monotonic()
            if self._killed_at:
                wait = _PATIENCE
            elif self._folder is not None:
                wait = min(wait, SECONDS_BETWEEN_LOOKS)
            events = self._events.poll(max(1, 1000 * (wait if watching_output else self._quiet)))
            # Before anything else: a process may ask without end, and now it surely waits.
            self._check_clock()
            if asking in events and self._listener is not None and not self._killed_at:
                request = self._listener.receive()
                if request is not None and self._provide_input():
                    self._listener.let_go_on(request)
                continue
            ready = [number for number, _ in events]
            if control in ready:
                self._ended = self._clock.hear()
                continue
            if not watching_output and not ready and not self._killed_at:
                watching_output = True
                self._watch(self._terminal.child_fd)
                self._watch(self._channel.fileno())
            self._take_output()
            self._leave(number for number, what in events if what & select.POLLHUP)
        self._terminal.finish()
        self._take_output()
        status, cpu = self._ended
        return os.waitstatus_to_exitcode(status), cpu * _MICRO

    def _watch(self, descriptor: int) -> None:
        self._events.register(descriptor, select.POLLIN)
        self._watched.add(descriptor)

    def _leave(self, descriptors: Iterable[int]) -> None:
        """Hear no more of these, which would be reported at once every time: what has hung up, and
        what nobody reads while a process that was killed takes its time to go."""
        for descriptor in self._watched.intersection(descriptors):
            self._events.unregister(descriptor)
            self._watched.discard(descriptor)

    def _take_output(self) -> None:
        if not self._terminal.drain(self._most_output):
            self._stop(Ending.OUTPUT_LIMIT)
        while data := self._channel.read():
            self._read(data)
            if len(data) < CHUNK or self._reason is Ending.TAMPERED:  # a socket gives all it has
                break

    def _is_for_us(self, frame: bytes) -> bool:
        # Without notifications the process says by a frame that it is going to read.
        if frame[:1] == b"Q" and self._listener is None and self._reason is None:
            self._provide_input()
        return super()._is_for_us(frame)

    def _provide_input(self) -> bool:
        """Have something to read on the terminal; False when the scenario ends instead."""
        terminal = self._terminal
        # The process is stopped until the kernel lets it read, so a line may be sent before we read
        # what was printed: it is handed over meanwhile, which takes a while.
        line = self._next_line()
        if line is not None:
            terminal.send_typed(line)
        if not terminal.drain(self._most_output):
            self._stop(Ending.OUTPUT_LIMIT)
            return False
        if line is not None:
            terminal.remember_typed(line)
            return True
        if terminal.has_unread_input():
            return True
        typed = self._next_input()
        if typed is None:
            self._stop(Ending.ASKED_FOR_MORE)
            return False
        terminal.remember_typed(typed)
        terminal.send_typed(typed)
        return True

    def _next_line(self) -> Typed | None:
        """The next input if it is surely to be typed now and can do nothing before it is read, as
        a key does and a sign that acts as one."""
        if self._listener is None or not self._inputs or not self._terminal.screen.loaded:
            return None
        line = self._inputs[-1]
        is_plain = line.key is None and line.text.isprintable()
        return self._inputs.pop() if is_plain and not self._terminal.has_unread_input() else None

    def _check_clock(self) -> None:
        now = time.monotonic()
        if self._killed_at:
            if now - self._killed_at > _PATIENCE:
                raise HarnessError("a submission server does not answer")
        elif self._folder is not None and self._folder.is_too_full():
            self._stop(Ending.OUTPUT_LIMIT, TOO_FULL)
        elif now >= self._clock.due:
            passed = self._clock.passed()
            if passed is not None:
                self._stop(passed)

    def _kill(self) -> None:
        self._leave(tuple(self._watched))
        if self._ended is None:
            self._killed_at = time.monotonic()
            self._server.send(b"K")

    def _exclude_since(self, begun: float) -> None:
        self._clock.exclude(time.monotonic() - begun)


_HEARTBEAT = 0.25  # seconds between two looks at most
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
        # Time in which we were to look and neither did nor computed does not count: the machine or
        # our own process stood still (suspended, stopped), and the scenario with it, or it waited
        # for us. What we take to look is counted: a program could make that long.
        own_cpu = time.thread_time()
        late = now - self.due - (own_cpu - self._own_cpu)
        self._own_cpu = own_cpu
        if late > _STANDSTILL:
            self._excluded += late
        if elapsed < self._shortest:
            self.due = now + min(_HEARTBEAT, self._shortest - elapsed)
            return None
        self.due = now + _HEARTBEAT
        if self._clock is None:
            if not self._asked_for_pid:
                self._asked_for_pid = True
                self._server.send(b"?")
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

    def hear(self) -> tuple[int, int] | None:
        """As `ServerProcess.hear` once the process has ended; None until then."""
        heard = self._server.hear()
        if isinstance(heard, ProcessClock):
            self._clock, self.due = heard, time.monotonic()
            return None
        return heard
