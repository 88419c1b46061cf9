"""Runs submissions on systems without terminals: one interpreter for each scenario, connected by
three pipes.

This is the portable tier: a program is not confined and has all rights of its user. Its time and
output are limited, and its memory if the system supports that. Processes that it started are ended.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from enum import IntEnum
from functools import partial
from typing import IO, Any, Self

from harness.common.errors import HarnessError
from harness.execution.confinement import Confinement, tier_layers
from harness.execution.inside.messages.frames import framed
from harness.execution.inside.messages.protocol import (
    CourseTestJob,
    Heartbeat,
    Job,
    Keyboard,
    Mark,
    PipedSetup,
    ScenarioJob,
    StandInJob,
    SuiteJob,
    ToolJob,
    encode_job,
    split,
)
from harness.execution.interpreter import Interpreter
from harness.execution.process_server import ProcessServer
from harness.execution.protocol.jobs import (
    FLAGS,
    INNER_ENVIRONMENT,
    LOADER,
    environment,
    inside_modules,
    process_limits,
)
from harness.execution.protocol.observation import ProcessExit
from harness.execution.protocol.screen import ScreenParser
from harness.execution.runner import AnyDriver
from harness.execution.scenario_monitor import ScenarioMonitor
from harness.execution.stand_in_process import LOADED_MACHINE, StandInProcess
from harness.model.observation import Ending, Tier
from harness.model.stimulus import Key, Limits

_MODULES = (
    "messages.frames", "messages.protocol", "messages.arrays", "messages.codec",
    "messages.exceptions",
    "cells", "modules", "replacing", "waits", "clock", "limits", "stand_ins.calls",
    "running", "scenario.streams", "remote.values", "remote.peer", "remote.server",
    "remote.streams", "remote.guarded",
    "scenario.evaluate", "stimuli", "scenario.counting", "scenario.figures",
    "scenario.process", "piped",
)  # fmt: skip
_PROGRAM = f"""\
{LOADER}
import os
modules, setup = [message(lambda count: os.read(0, count)) for _ in range(2)]
package = load(modules, ("limits",))
package.piped.serve(setup)
"""


class PipedDriver(AnyDriver):
    """Starts a new interpreter for each stimulus."""

    def __init__(
        self, interpreter: Interpreter, *, hash_seed: int = 0, clock_offset: int = 0
    ) -> None:
        super().__init__(interpreter, Tier.PORTABLE)
        self._clock_offset = clock_offset
        self._command = [str(interpreter.path), *FLAGS, "-c", _PROGRAM]
        # A second thread must not take from the memory allowed.
        self._environment = environment(hash_seed) | {"MALLOC_ARENA_MAX": "1"}

    def __enter__(self) -> Self:
        self._modules = marshal.dumps(inside_modules(self.interpreter, _MODULES), 2)
        return super().__enter__()

    def varied(self, *, hash_seed: int, clock_offset: int) -> PipedDriver:
        varied = PipedDriver(self.interpreter, hash_seed=hash_seed, clock_offset=clock_offset)
        varied.meter = self.meter
        return varied

    def serve(self, stack: ExitStack, setup: Mapping[str, Any]) -> PipedServer:
        confinement = Confinement(tier_layers(self.tier)).for_server(
            self.directory, notify=False, writable=self.directory if setup.get("writes") else ""
        )
        common = {
            "directory": self.directory,
            "more_modules": self.interpreter.more_modules,
            "environment": INNER_ENVIRONMENT,
            "clock_offset": self._clock_offset,
            "confinement": confinement,
        }
        return PipedServer(self, marshal.dumps(common | dict(setup), 2))

    def start(self, stack: ExitStack, setup: bytes, job: Job, limits: Limits) -> PipedProcess:
        """Start a process that does this job; leaving `stack` ends it.

        Raise HarnessError if it does not start.
        """
        process = PipedProcess(self._command, self._environment, self.directory, limits)
        stack.callback(process.close)
        piped_setup = PipedSetup(
            secret=process.secret, beat=process.beats.period, limits=process_limits(limits)
        )
        for message in (self._modules, setup, piped_setup.encode(), encode_job(job)):
            process.send(message)
        return process


class PipedServer(ProcessServer):
    """Starts a new interpreter for each job with the same setup."""

    def __init__(self, driver: PipedDriver, setup: bytes) -> None:
        self._start = partial(driver.start, setup=setup)
        self._meter = driver.meter

    def start(
        self,
        stack: ExitStack,
        job: ScenarioJob | ToolJob,
        screen: ScreenParser,
        limits: Limits,
        *,
        hears_ctrl_c: bool = False,
    ) -> PipedMonitor:
        return PipedMonitor(self._start(stack, job=job, limits=limits), screen, limits)

    def start_stand_in(
        self, stack: ExitStack, job: StandInJob | CourseTestJob | SuiteJob, limits: Limits
    ) -> PipedStandIn:
        process = self._start(stack, job=job, limits=limits)
        stack.callback(lambda: self._meter.add(process.beats.cpu_seconds))
        return PipedStandIn(process, limits)


_SECRET_BYTES = 16
_HEARTBEAT = 0.1
_PATIENCE = 60.0  # seconds for an interpreter to start, however busy the machine
_PREPARING = 30.0  # seconds to compile the student's code
_ORPHANED = 2.0  # seconds after its end in which other processes that hold its pipes wrote nothing
_IDLE_SHARE = 0.05
_STARTED = framed(Heartbeat.STARTED)
_KEYS = {Key.CTRL_C: Keyboard.CTRL_C, Key.CTRL_D: Keyboard.CTRL_D}


class CpuHeartbeat:
    """Judges a process by its own reports: every `period` seconds it sends the CPU seconds that it
    has used.

    If they hardly grow between two reports, the process was asleep: even on a busy machine a
    running process would have used more.
    """

    def __init__(self, limits: Limits) -> None:
        shortest = min(limits.cpu_seconds, limits.wall_seconds)
        self.period = min(_HEARTBEAT, max(0.01, shortest / 4))
        self.began = False
        self.cpu_seconds = 0.0
        self._limits = limits
        self._asleep = 0.0
        self._last = 0.0

    def restart_silence(self) -> None:
        """Measure the time without a report from now on."""
        self._last = time.monotonic()

    def handled(self, frame: bytes) -> bool:
        """Handle a message about time. Return False for any other message."""
        kind, body = split(frame)
        if kind == Heartbeat.BEGINS and not self.began:
            self.began = True
        elif kind == Heartbeat.COMPUTED and body.isdigit():
            used = int(body) / 1e6
            if used - self.cpu_seconds < self.period * _IDLE_SHARE:
                self._asleep += self.period
            self.cpu_seconds = used
        else:
            return False
        self.restart_silence()
        return True

    def passed(self) -> Ending | None:
        """Return the limit that was exceeded; None if there was none.

        A process without reports may be computing without a chance to report, or the machine may be
        busy: it gets ten times its limit.
        """
        if self.cpu_seconds >= self._limits.cpu_seconds:
            return Ending.CPU_LIMIT
        if self._asleep >= self._limits.wall_seconds:
            return Ending.TIMEOUT
        silent = time.monotonic() - self._last
        return Ending.CPU_LIMIT if silent >= self.longest_silence else None

    @property
    def longest_silence(self) -> float:
        """Return for how many seconds the process may send no report."""
        return 1 + LOADED_MACHINE * self._limits.cpu_seconds if self.began else _PATIENCE


class PipedMonitor(ScenarioMonitor):
    """Follows one scenario's process, which has its own interpreter and is connected by pipes."""

    def __init__(self, process: PipedProcess, screen: ScreenParser, limits: Limits) -> None:
        super().__init__(screen, limits, process.send)
        self._process = process
        self._unshown = b""  # output that may have the beginning of a secret in it
        self._said = b""  # until the interpreter has started
        self._started = False  # the interpreter
        self._over = False  # the process shows nothing more

    def _follow(self) -> ProcessExit:
        process = self._process
        started = heard = time.monotonic()
        while process.open or not process.has_ended():
            event = process.hear(process.beats.period)
            now = time.monotonic()
            if event is not None:
                heard = now
                self._take(*event)
            elif process.has_ended():
                process.kill()  # and its children
                if self._over or now - heard > _ORPHANED:
                    break
            if self._reason is None:
                self._check_time(now - started)
        self._show(self._unshown)
        self.compiled = process.beats.began
        code = process.exit_code()
        if not self._started and self._reason is None:
            complaint = self._said.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise HarnessError(f"an interpreter did not start: {''.join(complaint)[:300]}")
        return ProcessExit(code=code, cpu_seconds=process.beats.cpu_seconds)

    def _check_time(self, elapsed: float) -> None:
        if self._process.beats.began:
            if (passed := self._process.beats.passed()) is not None:
                self._stop(passed)
        elif not self._started and elapsed > _PATIENCE:
            raise HarnessError("an interpreter does not start")
        elif elapsed > _PATIENCE + _PREPARING:
            self._stop(Ending.CPU_LIMIT)

    def _kill(self) -> None:
        self._process.kill()

    def _exclude_since(self, begun: float) -> None:
        self._process.beats.restart_silence()

    def _take(self, pipe: Pipe, data: bytes) -> None:
        if pipe is Pipe.SAID:  # counts even after we ended the process
            if not self._started:  # otherwise `_said` is the interpreter's complaint
                self._said += data
                self._started = self._said.startswith(_STARTED)
                data = self._said[len(_STARTED) :] if self._started else b""
            self._read(data)
        elif self._reason is None:
            self._unshown += data
            self._show_unshown()

    def _handled(self, frame: bytes) -> bool:
        return self._process.beats.handled(frame) or super()._handled(frame)

    def _show_unshown(self) -> None:
        """Record the output received so far.

        At each secret that asks for input, type a line. Keep bytes back that may be the beginning
        of a secret.
        """
        secret = self._process.secret
        while self._reason is None:
            text, found, rest = self._unshown.partition(secret)
            if not found or not rest:
                break
            self._show(text)
            mark, self._unshown = split(rest)
            if mark == Mark.OVER:
                self._over = True
            elif self._reason is None:  # `_show` may have stopped it
                self._type()
        lengths = range(min(len(self._unshown), len(secret)), 0, -1)
        kept = next((n for n in lengths if secret.startswith(self._unshown[-n:])), 0)
        self._show(self._unshown[: len(self._unshown) - kept])
        self._unshown = self._unshown[len(self._unshown) - kept :]

    def _type(self) -> None:
        typed = self._type_next()
        if typed is not None and typed.key is not None:
            self._deliver(_KEYS[typed.key])
        elif typed is not None:
            self._deliver(Keyboard.LINE + typed.text.encode("utf-8", "surrogateescape") + b"\n")


class PipedStandIn(StandInProcess):
    """The process that runs the course's modules for one scenario. Its creator closes it."""

    def __init__(self, process: PipedProcess, limits: Limits) -> None:
        super().__init__(process.send, limits)
        self._process = process

    def _hear(self) -> bool:
        event = self._process.hear(self._process.beats.period)
        if event is not None and event[0] is Pipe.SAID:
            self._received.data += event[1]
        return event is not None or not self._process.has_ended()

    def _is_late(self, waited: float, longest: float) -> bool:
        beats = self._process.beats
        if not beats.began:
            return waited > _PATIENCE
        return beats.cpu_seconds > self._limits.cpu_seconds or waited > longest

    def _next_message(self) -> bytes | None:
        while (frame := super()._next_message()) is not None:
            if split(frame)[0] != Heartbeat.STARTED and not self._process.beats.handled(frame):
                return frame
        return None


_CHUNK = 1 << 16
_MAX_WAITING = 64  # chunks: a program that floods its output waits for us
_GONE_SECONDS = 10.0
_LAST_WORDS = 0.5
_WINDOWS_ERRORS = 0xC0000000


class Pipe(IntEnum):
    """The pipe from which bytes came."""

    SHOWN = 1  # visible output
    SAID = 2  # the process's report about itself


class PipedProcess:
    """A process connected by pipes: starts it, returns its bytes in each pipe's order, and ends
    it.

    Our code in the process writes `secret`, which the program does not know, into its output,
    followed by a `Mark`.
    """

    def __init__(
        self, command: Sequence[str], environment: dict[str, str], directory: str, limits: Limits
    ) -> None:
        self.secret = os.urandom(_SECRET_BYTES)
        self.beats = CpuHeartbeat(limits)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=environment,
                cwd=directory,
                start_new_session=hasattr(os, "killpg"),
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # Windows' own
            )
        except OSError as error:
            raise HarnessError(f"{command[0]} did not start: {error.strerror}") from None
        self._events: queue.Queue[tuple[Pipe, bytes]] = queue.Queue(_MAX_WAITING)
        self.open = set(Pipe)
        streams = {Pipe.SHOWN: self._process.stdout, Pipe.SAID: self._process.stderr}
        for name_and_stream in streams.items():
            threading.Thread(target=self._read, args=name_and_stream, daemon=True).start()

    def send(self, message: bytes) -> None:
        """Write to the process's standard input; do nothing if the process has ended.

        End a process that does not read, because the pipe holds only a limited number of bytes.
        """
        assert self._process.stdin is not None
        left = memoryview(framed(message))
        unread = threading.Timer(self.beats.longest_silence, self.kill)
        unread.start()
        try:
            while left:
                left = left[os.write(self._process.stdin.fileno(), left) :]
        except OSError:
            pass
        finally:
            unread.cancel()

    def hear(self, seconds: float) -> tuple[Pipe, bytes] | None:
        """Return a pipe and its next bytes, b"" at the pipe's end.

        Return None if none came in time.
        """
        try:
            pipe, data = self._events.get(timeout=seconds)
        except queue.Empty:
            return None
        if not data:
            self.open.discard(pipe)
        return pipe, data

    def has_ended(self) -> bool:
        """Return whether the process itself has ended; its children may still hold the pipes."""
        return self._process.poll() is not None

    def kill(self) -> None:
        """End the process and all processes that it started, if the system finds them."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        elif self._process.poll() is None:
            with contextlib.suppress(OSError):
                subprocess.run(
                    ["taskkill", "/T", "/F", "/PID", str(self._process.pid)],
                    capture_output=True,
                    check=False,
                )
        with contextlib.suppress(OSError):
            self._process.kill()

    def exit_code(self) -> int:
        """Return the process's exit status; a negative number is the signal that ended it.

        Raise HarnessError if the process does not end.
        """
        try:
            code = self._process.wait(_GONE_SECONDS)
        except subprocess.TimeoutExpired:
            raise HarnessError("a scenario's process does not end") from None
        return -code if code >= _WINDOWS_ERRORS else code

    def close(self) -> None:
        """End the process and everything that it started, and close its pipes as far as
        possible.
        """
        self.kill()
        self.exit_code()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        while self.open and self.hear(_LAST_WORDS) is not None:
            continue

    def _read(self, pipe: Pipe, stream: IO[bytes]) -> None:
        with stream:
            data = b"more"
            while data:
                try:
                    data = os.read(stream.fileno(), _CHUNK)
                except OSError:
                    data = b""
                self._events.put((pipe, data))
