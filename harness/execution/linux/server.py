"""One submission, ready to be observed.

A forked server: confined, prepared, and ended when done with.

Runs a trusted function of ours over what a student wrote, confined and limited.
"""

from __future__ import annotations

import marshal
import os
import select
import time
from dataclasses import dataclass
from types import TracebackType

from harness.common.errors import HarnessError
from harness.execution.driver import TOOL_LIMITS, answer
from harness.execution.inside import wire
from harness.execution.linux.base_process import BaseProcess, ServerProcess, StimulusCompiler
from harness.execution.linux.kernel import Listener, ProcessClock
from harness.execution.linux.monitor import Monitor
from harness.execution.linux.pty import open_pty
from harness.execution.protocol.jobs import Jobs, marks_in
from harness.execution.protocol.observation import ScreenParser, observation
from harness.model.observation import Ending, Observation, Phase
from harness.model.plan import Assignment
from harness.model.stimulus import Key, Limits, Stimulus

MARK_BYTES = 16


class SubmissionServer:
    """Observes one submission, a fresh process for each stimulus."""

    def __init__(
        self, link: ServerLink, assignment: Assignment, questions: StimulusCompiler
    ) -> None:
        self._link = link
        self._functions = tuple(function.name for function in assignment.functions)
        self._questions = questions
        self._jobs = Jobs(assignment)

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._link.server.pid

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        """What the submission did. HarnessError when our own server failed."""
        failed = self._link.failed_to_prepare
        if failed is not None:
            return Observation(ending=failed.ending, phase=Phase.LOADING, detail=failed.detail)
        shown = ScreenParser(mark=os.urandom(MARK_BYTES), most_marks=marks_in(stimulus))
        job = self._jobs.job(stimulus, limits)
        job["mark"] = shown.mark
        job["shim"] = self._link.listener is None
        job["question"] = self._questions.packed(self._functions, job.pop("asked"))
        wanted = job.pop("wanted")
        terminal = open_pty(shown)
        try:
            self._link.start(
                job,
                terminal.slave,
                memory=job["memory"],
                wanted=wanted,
                controlled=any(typed.key is Key.CTRL_C for typed in stimulus.inputs),
            )
            end = Monitor(
                self._link.server,
                self._link.listener,
                terminal,
                limits=limits,
                inputs=stimulus.inputs,
            ).follow()
        finally:
            terminal.close()
        return observation(stimulus, limits, shown, end)


_PREPARING_CPU = 10.0  # seconds for compiling what a student wrote
_PREPARING_ASLEEP = 30.0
_HEARTBEAT_MS = 50


@dataclass(frozen=True, slots=True)
class FailedToPrepare:
    """Compiling the files ended the server: a fact about the files, not about us."""

    ending: Ending
    detail: str


class ServerLink:
    """A server from the base; a context manager that leaves nothing running."""

    def __init__(self, base: BaseProcess, setup: dict[str, object]) -> None:
        self._base = base
        self.server: ServerProcess = base.start_server(setup)
        self.listener: Listener | None = None
        self.failed_to_prepare: FailedToPrepare | None = None
        try:
            self._await_confined()
            self._await_ready()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ServerLink:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def start(
        self,
        told: object,
        terminal: int,
        *,
        memory: int,
        wanted: object = None,
        controlled: bool = False,
    ) -> None:
        """Start a scenario that is `told` this on a terminal's slave side, which controls it or
        not, with so many bytes of memory and the `wanted` files, which others may share."""
        order = (memory, controlled, wanted, marshal.dumps(told, 2))  # type: ignore[arg-type]
        try:
            wire.send(self.server.control, marshal.dumps(order, 2), (terminal,))  # type: ignore[arg-type]
        except OSError:
            raise HarnessError("a submission server ended") from None

    def close(self) -> None:
        """End the server and wait until it is gone."""
        if self.listener is not None:
            self.listener.close()
            self.listener = None
        self._base.end_server(self.server)

    def _await_confined(self) -> None:
        message = self._receive()
        if message is None or message[0] != b"C":
            raise HarnessError(f"a submission was not confined: {self._base.complaint()}")
        if message[1]:
            self.listener = Listener(message[1][0])

    def _await_ready(self) -> None:
        clock = ProcessClock(self.server.pid)
        started = time.monotonic()
        ready = select.poll()
        ready.register(self.server.control.fileno(), select.POLLIN)
        while not ready.poll(_HEARTBEAT_MS):
            if clock.cpu() > _PREPARING_CPU:
                self.failed_to_prepare = FailedToPrepare(Ending.CPU_LIMIT, "while compiling")
                return
            if clock.asleep(time.monotonic() - started) > _PREPARING_ASLEEP:
                raise HarnessError("a submission server does not get ready")
        message = self._receive()
        if message is None:
            self.failed_to_prepare = FailedToPrepare(Ending.CRASHED, "while compiling")

    def _receive(self) -> tuple[bytes, list[int]] | None:
        try:
            return wire.receive(self.server.control)
        except (OSError, EOFError):
            return None


_MIB = 1024 * 1024


class ToolServer:
    """A loaded function, ready to be called."""

    def __init__(self, link: ServerLink) -> None:
        self._link = link

    def run(self, payload: str, limits: Limits = TOOL_LIMITS) -> str:
        """The function's answer. ToolFailed when it gave none, HarnessError when we failed."""
        shown = ScreenParser(mark=b"\0", most_marks=0)
        terminal = open_pty(shown)
        try:
            self._link.start(payload, terminal.slave, memory=limits.memory_mib * _MIB)
            end = Monitor(
                self._link.server,
                self._link.listener,
                terminal,
                limits=limits,
                inputs=(),
            ).follow()
        finally:
            terminal.close()
        return answer(end)
