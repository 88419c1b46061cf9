"""Watches one scenario's process from its start to its end, and types what it asks for."""

from __future__ import annotations

import contextlib
import os
import select
import time

from harness.common.errors import HarnessError
from harness.execution.inside import wire
from harness.execution.linux import kernel
from harness.execution.linux.base_process import ServerProcess
from harness.execution.linux.kernel import Listener, ProcessClock
from harness.execution.linux.pty import PseudoTerminal
from harness.execution.protocol import reply
from harness.execution.protocol.observation import End
from harness.model.observation import Ending
from harness.model.stimulus import Limits, Typed

_QUIET = 0.02  # seconds in which a scenario's output may lie unread: most are over by then
_HEARTBEAT = 0.25
_PATIENCE = 20.0  # seconds for our own server to answer
_PIPE_CHUNK = 1 << 16
_MICRO = 1e-6


class Monitor:
    """One scenario's process, its terminal, and the inputs it may still ask for, but not while a
    module is loading."""

    def __init__(
        self,
        server: ServerProcess,
        listener: Listener | None,
        terminal: PseudoTerminal,
        *,
        limits: Limits,
        inputs: tuple[Typed, ...],
    ) -> None:
        self._server = server
        self._listener = listener
        self._terminal = terminal
        self._limits = limits
        self._most = limits.output_kib * 1024
        self._inputs = list(reversed(inputs))
        self._said = bytearray()
        self._heard = 0
        self._reason: Ending | None = None
        self._end: tuple[int, int] | None = None
        self._clock: ProcessClock | None = None
        self._asked_for_pid = False
        self._killed_at = 0.0
        self._events = select.poll()

    def follow(self) -> End:
        """Until the process is gone. HarnessError when our own server is."""
        self._started = time.monotonic()
        control = self._server.control.fileno()
        self._events.register(control, select.POLLIN)
        asking = None
        if self._listener is None:
            self._events.register(self._server.replies, select.POLLIN)
        else:
            self._events.register(self._listener.descriptor, select.POLLIN)
            asking = (self._listener.descriptor, select.POLLIN)
        timeout = min(_QUIET, self._limits.cpu_seconds, self._limits.wall_seconds)
        watching_output = False
        while self._end is None:
            events = self._events.poll(max(1, timeout * 1000))
            if asking in events and self._listener is not None and not self._killed_at:
                self._answer_asking(self._listener)
                continue
            ready = [number for number, _ in events]
            if control in ready:
                self._hear_from_server()
                timeout = self._check_clocks()
                continue
            if self._killed_at:
                self._check_patience()
            if not watching_output and not ready:
                watching_output = True
                self._events.register(self._terminal.child_fd, select.POLLIN)
                if self._listener is not None:
                    self._events.register(self._server.replies, select.POLLIN)
            self._take_output()
            timeout = self._check_clocks()
        self._take_output()
        status, cpu = self._end
        return End(
            reason=self._reason,
            exit_code=os.waitstatus_to_exitcode(status),
            cpu_seconds=cpu * _MICRO,
            said=bytes(self._said),
        )

    def _take_output(self) -> None:
        if not self._terminal.drain(self._most):
            self._stop(Ending.OUTPUT_LIMIT)
        while True:
            try:
                data = os.read(self._server.replies, _PIPE_CHUNK)
            except BlockingIOError:
                break
            if not data:  # the server is gone, and with it the last that could write
                break
            self._said += data
            if len(self._said) > reply.LARGEST:
                self._stop(Ending.TAMPERED)
            if len(data) < _PIPE_CHUNK:  # a pipe gives all it has
                break
        if self._listener is None:
            self._answer_frames()

    def _answer_asking(self, listener: Listener) -> None:
        question = listener.receive()
        if question is not None and self._provide_input():
            listener.let_go_on(question)

    def _answer_frames(self) -> None:
        """Without notifications the process says by a frame that it is going to read."""
        while len(self._said) >= self._heard + 5:
            length = int.from_bytes(self._said[self._heard : self._heard + 4], "little")
            if self._said[self._heard + 4 : self._heard + 5] == b"Q":
                self._provide_input()
            self._heard += 4 + max(length, 1)

    def _provide_input(self) -> bool:
        """Have something to read on the terminal; False when the scenario ends instead."""
        terminal = self._terminal
        # Who waits for the kernel's leave stands still, so a line may be sent before we read what
        # was printed: it is handed over meanwhile, which takes a while.
        line = self._next_line()
        if line is not None:
            terminal.send_typed(line)
        if not terminal.drain(self._most):
            self._stop(Ending.OUTPUT_LIMIT)
            return False
        if line is not None:
            terminal.remember_typed(line)
            return True
        if terminal.has_unread_input():
            return True
        if not self._inputs or not terminal.screen.loaded:
            self._stop(Ending.ASKED_FOR_MORE)
            return False
        typed = self._inputs.pop()
        terminal.remember_typed(typed)
        terminal.send_typed(typed)
        return True

    def _next_line(self) -> Typed | None:
        """The next input if it is surely to be typed now and can do nothing before it is read, as
        a key does and a sign that acts as one."""
        if self._listener is None or not self._inputs or self._inputs[-1].key is not None:
            return None
        if not self._inputs[-1].text.isprintable() or not self._terminal.screen.loaded:
            return None
        return None if self._terminal.has_unread_input() else self._inputs.pop()

    def _check_clocks(self) -> float:
        """End it when a limit is passed; the seconds until it is worth looking again."""
        elapsed = time.monotonic() - self._started
        shortest = min(self._limits.cpu_seconds, self._limits.wall_seconds)
        if self._killed_at or elapsed < shortest:
            return min(_HEARTBEAT, max(shortest - elapsed, 0.001))
        if self._clock is None:
            if not self._asked_for_pid:
                self._asked_for_pid = True
                self._tell_server(b"?")
            if elapsed > shortest + _PATIENCE:
                raise HarnessError("a submission server does not answer")
            return _HEARTBEAT
        cpu_left = self._limits.cpu_seconds - self._clock.cpu()
        if cpu_left <= 0:
            self._stop(Ending.CPU_LIMIT)
            return _HEARTBEAT
        sleep_left = self._limits.wall_seconds - self._clock.asleep(elapsed)
        if sleep_left <= 0:
            self._stop(Ending.TIMEOUT)
            return _HEARTBEAT
        return min(_HEARTBEAT, cpu_left, sleep_left)

    def _stop(self, reason: Ending) -> None:
        if self._reason is None:
            self._reason = reason
            if self._end is None:
                self._killed_at = time.monotonic()
                self._tell_server(b"K")

    def _check_patience(self) -> None:
        if time.monotonic() - self._killed_at > _PATIENCE:
            raise HarnessError("a submission server does not answer")

    def _tell_server(self, word: bytes) -> None:
        try:
            wire.send(self._server.control, word)
        except OSError:
            raise HarnessError("a submission server ended") from None

    def _hear_from_server(self) -> None:
        try:
            message = wire.receive(self._server.control)
        except (OSError, EOFError):
            message = None
        if message is None:
            raise HarnessError("a submission server ended")
        kind, *numbers = message[0].split()
        if kind == b"E":
            self._end = (int(numbers[0]), int(numbers[1]))
        elif kind == b"P":
            with contextlib.suppress(kernel.GoneError):  # the word of its end is on its way
                self._clock = ProcessClock(kernel.resolve_pid(int(numbers[0]), message[1]))
