"""Servers forked from the base, seen from the driver: of a submission, and of a tool of ours."""

from __future__ import annotations

import marshal
import os
import select
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from typing import Protocol

from harness.common.errors import HarnessError
from harness.execution.driver import TOOL_LIMITS, answer
from harness.execution.folder import FolderMaker
from harness.execution.inside.messages import frames
from harness.execution.linux.base_process import BaseProcess, ServerProcess, StimulusCompiler
from harness.execution.linux.channel import CHUNK, ScenarioChannel
from harness.execution.linux.kernel import Listener, ProcessClock
from harness.execution.linux.monitor import Monitor
from harness.execution.linux.pexpect_terminal import Terminal
from harness.execution.linux.scenario_clock import (
    ScenarioClock,
    hear_from_server,
    send_to_server,
)
from harness.execution.linux.shared_run import run_group
from harness.execution.protocol.jobs import Jobs, main_file, needs_stand_ins
from harness.execution.protocol.observation import observation
from harness.execution.protocol.reply import LARGEST, FrameBuffer
from harness.execution.protocol.screen import plain_screen, scenario_screen
from harness.execution.remote import StandInProcess, StandInUnusableError, next_message
from harness.execution.replies import Reply, replier
from harness.execution.sharing import (
    CPU_SHARE,
    Keep,
    SharedGroup,
    SharedJob,
    SharedOutcome,
    may_share,
    subject,
)
from harness.model.assignment import Assignment
from harness.model.observation import Ending, Observation, Phase
from harness.model.stimulus import Key, Limits, Stimulus


class StandInStarter(Protocol):
    """Starts a process with the stand-ins of a scenario's job."""

    def __call__(
        self, job: dict[str, object], limits: Limits, /
    ) -> AbstractContextManager[StandInProcess]:
        """The process, until the context is left."""


class SubmissionServer:
    """Observes one submission, a fresh process for each stimulus."""

    def __init__(
        self,
        link: ServerLink,
        assignment: Assignment,
        compiler: StimulusCompiler,
        stand_ins: StandInStarter,
        *,
        folder: FolderMaker,
        ask: Callable[[str], str],
    ) -> None:
        self._ask = ask
        self._folder = folder
        self._link = link
        self._functions = tuple(function.name for function in assignment.functions)
        self._compiler = compiler
        self._jobs = Jobs(assignment)
        self._main = main_file(assignment)[:-3]
        self._stand_ins = stand_ins

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._link.server.pid

    def observe(
        self, stimulus: Stimulus, limits: Limits, *, reply: Reply | None = None
    ) -> Observation:
        """What the submission did. HarnessError when our own server failed. With `reply`, what it
        gives is typed in place of the stimulus's inputs; how long that takes does not count."""
        failed = self._link.failed_to_prepare
        if failed is not None:
            return Observation(ending=failed.ending, phase=Phase.LOADING, detail=failed.detail)
        screen = scenario_screen(stimulus)
        job = self._jobs.job(stimulus, limits)
        packed = self._compiler.packed(self._functions, job.pop("texts"))
        job |= {"sentinel": screen.sentinel, "stimulus": packed.data}
        job["shim"] = self._link.listener is None
        selection = job.pop("selection")
        terminal, channel = Terminal(screen), ScenarioChannel()
        with ExitStack() as stack:
            stack.callback(terminal.close)
            stack.callback(channel.close)
            folder = None
            if stimulus.folder:
                folder = self._folder(stimulus.files)
                stack.callback(folder.remove)
                job["folder"] = str(folder.path)
            stand_in = self._started_stand_in(stack, stimulus, limits)
            self._link.start(
                job,
                terminal.slave,
                channel,
                memory=job["memory"],
                selections=(selection,),
                controlled=any(typed.key is Key.CTRL_C for typed in stimulus.inputs),
            )
            monitor = Monitor(
                self._link.server,
                self._link.listener,
                terminal,
                channel,
                limits=limits,
                inputs=stimulus.inputs,
                stand_in=stand_in,
                folder=folder,
                reply=replier(stimulus.replies, self._ask) if stimulus.replies else reply,
            )
            end = monitor.follow()
            if monitor.course_fault:
                raise HarnessError(monitor.course_fault)
            seen = observation(stimulus, limits, screen, end, arguments=packed.arguments)
            if folder is not None:
                seen = replace(seen, files=folder.contents())
        return seen

    def _started_stand_in(
        self, stack: ExitStack, stimulus: Stimulus, limits: Limits
    ) -> StandInProcess | None:
        if not needs_stand_ins(stimulus):
            return None
        return stack.enter_context(self._stand_ins(self._jobs.stand_in_job(stimulus), limits))

    def group(self, wanted: Mapping[int, tuple[Stimulus, Limits]]) -> tuple[SharedGroup, ...]:
        """Pack these stimuli, by number, for `observe_together`: once for all submissions. What
        must have a process of its own is left out."""
        functions = frozenset(self._functions)
        groups: dict[str, SharedGroup] = {}
        for number, (stimulus, limits) in wanted.items():
            about = subject(stimulus, functions) if may_share(stimulus) else None
            if about is None:
                continue
            job = self._jobs.job(stimulus, limits)
            packed = self._compiler.packed(self._functions, job["texts"])
            group = groups.setdefault(about, SharedGroup())
            parts = (
                CPU_SHARE * limits.cpu_seconds, limits.output_kib * 1024, job["action"],
                job["program"], job["argv"], job["bindings"], job["seed"], packed.data,
            )  # fmt: skip
            group.jobs[number] = SharedJob(
                packed=marshal.dumps(parts, 2),
                lines=tuple(typed.text for typed in stimulus.inputs),
                selection=group.selection(job["selection"]),
                arguments=packed.arguments,
            )
            group.cpu_seconds = max(group.cpu_seconds, limits.cpu_seconds)
            group.wall_seconds = max(group.wall_seconds, limits.wall_seconds)
            group.memory_mib = min(group.memory_mib or limits.memory_mib, limits.memory_mib)
        return tuple(groups.values())

    def observe_together(
        self,
        group: SharedGroup,
        order: Sequence[int],
        keep: Keep = lambda number, data: True,
    ) -> SharedOutcome:
        """Run these numbers of a group in one process, one after another; `keep` says
        what of that which is seen is to be kept.
        HarnessError when our own server failed."""
        if self._link.failed_to_prepare is not None:
            return SharedOutcome(seen={}, refused="it does not compile within its limits")
        return run_group(self._link, group, order, main=self._main, keep=keep)


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

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(
        self,
        job: object,
        terminal: int,
        channel: ScenarioChannel,
        *,
        memory: int,
        selections: Sequence[object] = (),
        controlled: bool = False,
    ) -> None:
        """Have a scenario's process forked, with `memory` bytes, on a terminal's slave side, which
        is its controlling terminal or not. Its job goes over `channel` to itself alone; the server
        learns the `selections` of files only, which scenarios share."""
        request = marshal.dumps((memory, controlled, list(selections)), 2)
        try:
            frames.send_to_socket(self.server.control, request, (terminal, channel.process_end))
        except OSError:
            raise HarnessError("a submission server ended") from None
        channel.send(marshal.dumps(job, 2))  # type: ignore[arg-type]

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
            self._base.check_alive()  # else it is not the files that ended the server
            self.failed_to_prepare = FailedToPrepare(Ending.CRASHED, "while compiling")

    def _receive(self) -> tuple[bytes, list[int]] | None:
        try:
            return frames.receive_from_socket(self.server.control)
        except (OSError, EOFError):
            return None


_MIB = 1024 * 1024


class ToolServer:
    """A loaded function, ready to be called."""

    def __init__(self, link: ServerLink) -> None:
        self._link = link

    def run(self, payload: str, limits: Limits = TOOL_LIMITS) -> str:
        """The function's answer. ToolFailed when it gave none, HarnessError when we failed."""
        terminal, channel = Terminal(plain_screen()), ScenarioChannel()
        try:
            self._link.start(payload, terminal.slave, channel, memory=limits.memory_mib * _MIB)
            end = Monitor(
                self._link.server,
                self._link.listener,
                terminal,
                channel,
                limits=limits,
                inputs=(),
            ).follow()
        finally:
            terminal.close()
            channel.close()
        return answer(end)


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
