"""Runs submissions on terminals: starts a zygote, and has it fork a server for each submission,
for the course's stand-in modules, or for one of our tools.
"""

from __future__ import annotations

import os
import select
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, Self

from harness.common.errors import HarnessError
from harness.execution import sharing
from harness.execution.confinement import Confinement, tier_layers
from harness.execution.folder import prepare, scratch_directory
from harness.execution.inside.messages.exceptions import Sources
from harness.execution.inside.messages.frames import framed
from harness.execution.inside.messages.protocol import (
    MAX_REPLY_BYTES,
    CourseTestJob,
    ForkRequest,
    FromServer,
    Job,
    Question,
    ScenarioJob,
    Selection,
    StandInJob,
    SuiteJob,
    ToolJob,
    ToServer,
    ToSharedRun,
    encode_job,
)
from harness.execution.interpreter import Interpreter
from harness.execution.linux.monitor import Monitor, ScenarioClock, SharedProcess
from harness.execution.linux.pexpect_terminal import Terminal
from harness.execution.linux.processes import (
    Listener,
    ProcessClock,
    ScenarioChannel,
    ServerProcess,
    StimulusCompiler,
    ZygoteProcess,
)
from harness.execution.metering import CpuMeter
from harness.execution.process_server import ProcessServer
from harness.execution.protocol.answers import StimulusFacts
from harness.execution.protocol.jobs import process_limits, server_setup
from harness.execution.protocol.observation import ProcessExit
from harness.execution.protocol.screen import ScreenParser
from harness.execution.runner import (
    PREPARING_SECONDS,
    AnyDriver,
    ObservedSubmission,
    did_not_compile,
)
from harness.execution.sharing import SharedGroup, SharedJob, SharedOutcome, ShouldRetain
from harness.execution.stand_in_process import StandInProcess
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Ending, Observation, Tier
from harness.model.stimulus import Limits, Stimulus

_PREPARING_ASLEEP = 30.0
_PREPARING_LOOK_MS = 50
_NEVER = 1e9  # seconds: between two calls a stand-in sleeps as long as the submission likes
_HEARTBEAT = 0.25
_MAX_RESTARTS = 12
_MAX_IN_VAIN = 2


class Driver(AnyDriver):
    """Runs submissions on pseudo-terminals.

    `cpu` pins the thread that uses the driver, and all its processes, to one core. `layers` names
    the layers of the confinement (default: all of the tier). `hash_seed` is the interpreter's
    PYTHONHASHSEED. With `notify` False, the kernel does not report when a program reads.
    `clock_offset` shifts the time of day, in seconds.
    """

    def __init__(
        self,
        interpreter: Interpreter,
        tier: Tier,
        cpu: int | None = None,
        *,
        layers: frozenset[str] | None = None,
        hash_seed: int = 0,
        notify: bool = True,
        clock_offset: int = 0,
    ) -> None:
        super().__init__(interpreter, tier)
        self._confinement = Confinement(tier_layers(tier) if layers is None else layers)
        self._cpu = cpu
        self._notify = notify and self._confinement.notifies
        self._layers = layers
        self._start = partial(ZygoteProcess, hash_seed=hash_seed, clock_offset=clock_offset)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            if self._cpu is not None:
                stack.callback(os.sched_setaffinity, 0, os.sched_getaffinity(0))
                os.sched_setaffinity(0, {self._cpu})
            self._confinement.protect_driver()
            self._directory = str(prepare(stack.enter_context(scratch_directory())))
            self._zygote = self._start(self.interpreter, self._confinement, self._directory)
            stack.callback(self._zygote.close)
            self.compiler = StimulusCompiler(self._zygote)
            stack.callback(self.compiler.close)
            self._resources = stack.pop_all()
        return self

    def varied(self, *, hash_seed: int, clock_offset: int) -> Driver:
        varied = Driver(
            self.interpreter,
            self.tier,
            self._cpu,
            layers=self._layers,
            hash_seed=hash_seed,
            notify=self._notify,
            clock_offset=clock_offset,
        )
        varied.meter = self.meter
        return varied

    @contextmanager
    def submission(
        self,
        assignment: Assignment,
        files: tuple[SourceFile, ...],
        reference: tuple[SourceFile, ...] = (),
        preparing_seconds: float = PREPARING_SECONDS,
    ) -> Iterator[SubmissionServer]:
        with ExitStack() as stack:
            link = self.serve(stack, server_setup(assignment, files), preparing_seconds)
            yield SubmissionServer(self, stack, link, assignment, files, reference=reference)

    def serve(
        self,
        stack: ExitStack,
        setup: Mapping[str, Any],
        preparing_seconds: float = PREPARING_SECONDS,
    ) -> ServerLink:
        confinement = self._confinement.for_server(
            self.directory,
            notify=self._notify and "stand_ins" not in setup and "tests" not in setup,
            writable=str(self.folders) if setup.get("writes") else "",
        )
        for_every_server = {"confinement": confinement, "directory": self.directory}
        link = ServerLink(
            self._zygote,
            self.compiler,
            for_every_server | dict(setup),
            self.meter,
            preparing_seconds,
        )
        stack.callback(link.close)
        is_ours = "tool" in setup or ("tests" in setup and not setup["are_handed_in"])
        if is_ours and link.not_prepared is not None:
            what = setup.get("entry", "the tests")
            raise HarnessError(f"{what} did not load: {self._zygote.complaint()}")
        return link


class SubmissionServer(ObservedSubmission):
    """Runs the stimuli of one submission: each in a process forked from its server, or many in one
    process.
    """

    _server: ServerLink

    @property
    def pid(self) -> int:
        return self._server.server.pid

    def group(self, wanted: Mapping[int, tuple[Stimulus, Limits]]) -> tuple[SharedGroup, ...]:
        """Prepare these stimuli, by number, for `observe_together`; done once for all submissions.

        Stimuli that need their own process are left out.
        """
        functions = frozenset(self._functions)
        groups: dict[str, SharedGroup] = {}
        messages: dict[Selection, bytes] = {}
        self._server.compiler.read_ahead(
            binding.literal for stimulus, _ in wanted.values() for binding in stimulus.bindings
        )
        for number, (stimulus, limits) in wanted.items():
            about = sharing.subject(stimulus, functions) if sharing.may_share(stimulus) else None
            if about is None:
                continue
            job, facts = self._server.compile(self._jobs.job(stimulus), self._functions)
            group = groups.setdefault(about, SharedGroup(limits=limits))
            if job.selection not in messages:
                message = self._server.compiler.loading_message(job.selection)
                messages[job.selection] = message
            loading = messages[job.selection]
            if loading not in group.loads:
                group.loads.append(loading)
            group.jobs[number] = SharedJob(
                about=about,
                question=framed(ToSharedRun.QUESTION + _question(job, limits).encode()),
                lines=tuple(typed.text for typed in stimulus.inputs),
                selection=group.loads.index(loading),
                arguments=facts.arguments,
            )
            group.limits = group.limits.for_one_process(limits)
        return tuple(groups.values())

    @property
    def sources(self) -> Sources:
        """Return the submission's files. Places and names in a reply must exist in them."""
        return self._sources

    def observe_together(
        self,
        group: SharedGroup,
        order: Sequence[int],
        should_retain: ShouldRetain = lambda number, data: True,
        most_seconds: float | None = None,
    ) -> SharedOutcome:
        """Run these members of a group in one process, one after another. Return the observations
        that `should_retain` asks for.

        A stimulus that gives up ends the process, and the others get a new one. After two processes
        that completed no stimulus of a function, its other stimuli are skipped; after
        `most_seconds` of CPU time or of sleep, all are. Raise HarnessError if our own server
        failed.
        """
        if self._server.not_prepared is not None:
            return SharedOutcome(answers={}, refused="it does not compile within its limits")
        answers: dict[int, bytes] = {}
        restarts = _Restarts(group)
        left = list(order)
        most = _NEVER if most_seconds is None else most_seconds
        used = 0.0
        while left:
            process = SharedProcess(self._server, group, left, should_retain, most - used)
            process.run(self._jobs.main[:-3])
            used += process.cpu_seconds
            answers |= process.answers
            if process.refused:
                return SharedOutcome(
                    answers={},
                    refused=process.refused,
                    not_plain=process.not_plain,
                    changed_by=process.changed_by,
                    cpu_seconds=used,
                )
            if process.stopped_at is None:  # it came to its end, or to that of its time
                break
            restarts.count(process)
            unanswered = [number for number in left if number not in process.reported]
            left = [number for number in unanswered if restarts.is_worth(number)]
        return SharedOutcome(answers=answers, gave_up=frozenset(restarts.gave_up), cpu_seconds=used)


class _Restarts:
    """Decides which questions of a group are worth a new process after a process has stopped."""

    def __init__(self, group: SharedGroup) -> None:
        self._group = group
        self.gave_up: set[int] = set()
        self._in_vain: Counter[str] = Counter()  # processes that gave up, by function
        self._answered: set[str] = set()  # functions
        self._lost: set[str] = set()  # functions at which a process ended without a word

    def count(self, process: SharedProcess) -> None:
        """Note how a process ended that stopped before its last question."""
        self._answered.update(self._about(number) for number in process.reported)
        if process.gave_up is not None:
            self.gave_up.add(process.gave_up)
            self._in_vain[self._about(process.gave_up)] += 1
        elif process.stopped_at is not None:
            self._lost.add(self._about(process.stopped_at))

    def is_worth(self, number: int) -> bool:
        """Return whether to ask this question in a new process."""
        about = self._about(number)
        most = _MAX_RESTARTS if about in self._answered else _MAX_IN_VAIN
        is_lost = about in self._lost or number in self.gave_up
        return not is_lost and self._in_vain[about] < most

    def _about(self, number: int) -> str:
        return self._group.jobs[number].about


def _question(job: ScenarioJob, limits: Limits) -> Question:
    """Convert a scenario's job to a question for a process that runs many scenarios."""
    return Question(
        cpu_seconds=sharing.CPU_SHARE * limits.cpu_seconds,
        output_bytes=limits.output_kib * 1024,
        action=job.action,
        runs=job.runs,
        program=job.program,
        argv=job.argv,
        bindings=job.bindings,
        seed=job.seed,
        stimulus=job.stimulus,
    )


class ServerLink(ProcessServer):
    """The connection to a server forked by the zygote.

    `close` ends the server and all its processes.
    """

    def __init__(
        self,
        zygote: ZygoteProcess,
        compiler: StimulusCompiler,
        setup: dict[str, Any],
        meter: CpuMeter,
        preparing_seconds: float,
    ) -> None:
        self._zygote = zygote
        self._preparing_seconds = preparing_seconds
        self.meter = meter
        self.compiler = compiler
        self.owner = setup["confinement"]["uid"]
        self.server: ServerProcess = zygote.start_server(setup)
        self.listener: Listener | None = None
        self.not_prepared: Observation | None = None  # a fact about the files, not about us
        self._own_clock = ProcessClock(self.server.pid)
        self._counted = 0.0  # CPU seconds of it that are in the meter
        try:
            self._await_confined()
            self._await_ready()
            self._count_own()
        except BaseException:
            self.close()
            raise

    def seen_of_all(self, limits: Limits) -> Observation | None:
        return self.not_prepared

    def compile(
        self, job: ScenarioJob, functions: tuple[str, ...]
    ) -> tuple[ScenarioJob, StimulusFacts]:
        return self.compiler.compile(job, functions)

    def start(
        self,
        stack: ExitStack,
        job: ScenarioJob | ToolJob,
        screen: ScreenParser,
        limits: Limits,
        *,
        hears_ctrl_c: bool = False,
    ) -> Monitor:
        terminal, channel = Terminal(screen), ScenarioChannel()
        stack.callback(terminal.close)
        stack.callback(channel.close)
        selection: Selection | None = None
        if isinstance(job, ScenarioJob):
            # With a listener, the seccomp filter also refuses threads and processes.
            is_filtered = self.listener is not None
            job = job.replaced(asks_by_frame=not is_filtered, starts_nothing=is_filtered)
            selection = job.selection
        self.fork(
            job,
            channel,
            limits,
            selection=selection,
            terminal=terminal.slave,
            controlled=hears_ctrl_c,
        )
        return Monitor(self, terminal, channel, limits)

    def start_stand_in(
        self, stack: ExitStack, job: StandInJob | CourseTestJob | SuiteJob, limits: Limits
    ) -> LinuxStandIn:
        stand_in = LinuxStandIn(self, job, limits)
        stack.callback(stand_in.close)
        return stand_in

    def fork(
        self,
        job: Job,
        channel: ScenarioChannel,
        limits: Limits,
        *,
        selection: Selection | None = None,
        terminal: int | None = None,
        controlled: bool = False,
    ) -> None:
        """Have the server fork a scenario's process, and send the job to that process over
        `channel`.

        Its standard streams are the slave side of `terminal`, or the null device if `terminal` is
        None. If `controlled`, Ctrl-C on the terminal interrupts the process. The server itself gets
        only the selection of files, if other scenarios use the same files.
        """
        if selection is not None and selection[0] is not None:
            selection = None
        fork = ForkRequest(
            limits=process_limits(limits), controlled=controlled, selection=selection
        )
        with ExitStack() as stack:
            if terminal is None:
                terminal = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
                stack.callback(os.close, terminal)
            request = ToServer.FORK + fork.encode()
            self.server.send(request, (terminal, *channel.process_ends))
        channel.send(encode_job(job))
        self._count_own()

    def _count_own(self) -> None:
        """Add the server's own CPU time, such as for compiling files, to the meter."""
        used = self._own_clock.cpu()
        self.meter.add(used - self._counted)
        self._counted = used

    def close(self) -> None:
        if self.listener is not None:
            self.listener.close()
            self.listener = None
        self._zygote.end_server(self.server)

    def _await_confined(self) -> None:
        try:
            message, descriptors = self.server.receive()
        except HarnessError:
            message, descriptors = b"", []
        if message != FromServer.CONFINED:
            raise HarnessError(f"a submission was not confined: {self._zygote.complaint()}")
        if descriptors:
            self.listener = Listener(descriptors[0])

    def _await_ready(self) -> None:
        clock = self._own_clock
        started = time.monotonic()
        ready = select.poll()
        ready.register(self.server.control.fileno(), select.POLLIN)
        while not ready.poll(_PREPARING_LOOK_MS):
            if clock.cpu() > self._preparing_seconds:
                self.not_prepared = did_not_compile(Ending.CPU_LIMIT)
                return
            if clock.asleep(time.monotonic() - started) > _PREPARING_ASLEEP:
                raise HarnessError("the process that runs a submission did not start in time")
        try:
            self.server.receive()
        except HarnessError:
            self._zygote.check_alive()  # else it is not the files that ended the server
            self.not_prepared = did_not_compile(Ending.CRASHED)


class LinuxStandIn(StandInProcess):
    """The process that runs the course's stand-in modules for one scenario, forked from their
    server.
    """

    def __init__(
        self, link: ServerLink, job: StandInJob | CourseTestJob | SuiteJob, limits: Limits
    ) -> None:
        self._channel = ScenarioChannel()
        super().__init__(self._channel.send, limits)
        self._server = link.server
        self._meter = link.meter
        self._ended: ProcessExit | None = None
        link.fork(job, self._channel, limits)
        only_cpu = Limits(cpu_seconds=limits.cpu_seconds, wall_seconds=_NEVER)
        self._clock = ScenarioClock(self._server, only_cpu)
        self._events = select.poll()
        self._events.register(self._channel.fileno(), select.POLLIN)
        self._events.register(self._server.control.fileno(), select.POLLIN)

    def close(self) -> None:
        """End the process and wait until its server confirms the end."""
        self._channel.close()
        with suppress(HarnessError):  # a server that has ended took it along
            if self._ended is None:
                self._server.send(ToServer.KILL)
            while self._ended is None:
                self._ended = self._clock.hear()
        if self._ended is not None:
            self._meter.add(self._ended.cpu_seconds)

    def _hear(self) -> bool:
        if self._ended is not None:
            return False
        wait = min(_HEARTBEAT, max(self._clock.due - time.monotonic(), 0.001))
        ready = [number for number, _ in self._events.poll(1000 * wait)]
        if self._channel.fileno() in ready and (data := self._channel.read()):
            self._received.data += data
        elif self._server.control.fileno() in ready:
            self._ended = self._clock.hear()
            rest = 0
            while (
                self._ended is not None
                and (data := self._channel.read())
                and rest <= MAX_REPLY_BYTES
            ):
                self._received.data += data
                rest += len(data)
        return True

    def _take_the_rest(self) -> None:
        taken = 0
        while taken <= MAX_REPLY_BYTES and (data := self._channel.read()):
            self._received.data += data
            taken += len(data)

    def _is_late(self, waited: float, longest: float) -> bool:
        is_over = time.monotonic() >= self._clock.due and self._clock.passed() is not None
        return is_over or waited > longest
