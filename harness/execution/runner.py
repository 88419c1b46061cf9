"""Runs submissions on any system: on terminals (`linux`), over pipes (`piped`) or in a browser
(`browser`).

A submission's process may be accompanied by two processes of the course: one runs stand-in modules,
whose functions the submission calls, and one runs a reply generator, which returns a line to type
for the submission's output.
"""

from __future__ import annotations

import importlib
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol, Self

from harness.common.errors import HarnessError
from harness.common.escaping import visible
from harness.common.logs import logger_of
from harness.execution.course_replies import (
    REPLY_ENTRY,
    REPLY_SOURCES,
    RememberedAnswers,
    next_reply,
)
from harness.execution.folder import ScenarioFolder, folders_beside, prepare, scratch_directory
from harness.execution.inside.messages.exceptions import Sources
from harness.execution.inside.messages.protocol import ScenarioJob
from harness.execution.interpreter import Interpreter
from harness.execution.metering import CpuMeter
from harness.execution.process_server import ProcessServer
from harness.execution.protocol.answers import Answerable, StimulusFacts
from harness.execution.protocol.jobs import (
    Jobs,
    program_files,
    server_setup,
    stand_in_setup,
    tool_modules,
)
from harness.execution.protocol.observation import observation, with_files
from harness.execution.protocol.screen import ScreenParser, scenario_screen
from harness.execution.scenario_monitor import NextLine, ScenarioMonitor
from harness.execution.stand_in_process import AskedCalls, StandInProcess
from harness.execution.testing.course import (
    CourseTestConversation,
    suite_setup,
    test_job,
    test_limits,
    tests_key,
    tests_setup,
)
from harness.execution.testing.handed_in import SuiteObserver, TestedServer
from harness.execution.trusted_function import TrustedFunction, TrustedProcess
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Ending, Observation, Phase, Tier
from harness.model.stimulus import Form, Key, Limits, Stimulus

_log = logger_of(__name__)


class Runner(Protocol):
    """One submission, ready to be observed."""

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        """Return the program's behaviour under this stimulus.

        Raise HarnessError if our machinery failed.
        """


PREPARING_SECONDS = 10.0  # of CPU time, for compiling a student's files

CallsOf = Callable[[Stimulus, Limits], tuple[str, ...] | None]
"""Returns digests of the calls to functions that a stimulus substitutes (`Stimulus.answered`);
None if they cannot be substituted."""


class AnyDriver(ABC):
    """Runs submissions on a terminal, over pipes or in a browser.

    A context manager; use it from one thread only.
    """

    def __init__(self, interpreter: Interpreter, tier: Tier) -> None:
        self.interpreter = interpreter
        self.tier = tier
        self.answers = RememberedAnswers()
        self.meter = CpuMeter()
        self._resources = ExitStack()
        self._directory = ""
        self._tests: dict[Hashable, ProcessServer] = {}  # by all that they depend on
        self._tested: dict[Hashable, TestedServer] = {}

    def __enter__(self) -> Self:
        self._directory = str(prepare(self._resources.enter_context(scratch_directory())))
        return self

    def __exit__(self, *error: object) -> None:
        self._tests.clear()
        self._tested.clear()
        self._resources.close()
        self._directory = ""

    def varied(self, *, hash_seed: int, clock_offset: int) -> AnyDriver | None:
        """Return a driver like this one with another PYTHONHASHSEED and with the clock shifted by
        so many seconds. Return None if this system does not support that.
        """
        return None

    @abstractmethod
    def serve(self, stack: ExitStack, setup: Mapping[str, Any]) -> ProcessServer:
        """Start a server for processes with this setup; leaving `stack` ends it.

        Raise HarnessError if that fails.
        """

    @contextmanager
    def submission(
        self,
        assignment: Assignment,
        files: tuple[SourceFile, ...],
        reference: tuple[SourceFile, ...] = (),
        preparing_seconds: float = PREPARING_SECONDS,
    ) -> Iterator[Runner]:
        """Serve one submission.

        The functions of `reference` can replace the submission's own: they answer from another
        process. `preparing_seconds` limit the CPU time of a driver that compiles the files once,
        before the first scenario; other drivers compile them within each scenario. Raise
        HarnessError if our own machinery fails.
        """
        with ExitStack() as stack:
            server = self.serve(stack, server_setup(assignment, files))
            yield ObservedSubmission(self, stack, server, assignment, files, reference=reference)

    @contextmanager
    def asked_by(
        self, assignment: Assignment, reference: tuple[SourceFile, ...]
    ) -> Iterator[CallsOf]:
        """Return an object that tells which of its own functions the reference calls, if stand-ins
        replace these functions.
        """
        with ExitStack() as stack:
            server = self.serve(stack, server_setup(assignment, reference))
            program = ObservedSubmission(
                self, stack, server, assignment, reference, reference=reference
            )
            yield program.calls

    @contextmanager
    def tool(self, sources: Mapping[str, str], entry: str) -> Iterator[TrustedFunction]:
        """Start a server for one of our own functions, from text to text.

        `entry` is "package.module:function"; `sources` has the texts by module name. Each call has
        its own process.
        """
        with ExitStack() as stack:
            setup = {"tool": self.compiled(sources, entry), "entry": entry}
            yield TrustedProcess(self.serve(stack, setup), self.meter)

    def tests(self, assignment: Assignment) -> ProcessServer:
        """Return the server for an assignment's tests. It holds nothing of a submission."""
        key = tests_key(assignment)
        if key not in self._tests:
            setup = tests_setup(assignment, self.interpreter)
            self._tests[key] = self.serve(self._resources, setup)
        return self._tests[key]

    def tested(self, assignment: Assignment, name: str) -> TestedServer:
        """Return the server for one of the course's programs against which students' tests are
        run.
        """
        writing = assignment.test_writing
        if writing is None:
            raise HarnessError("students submit no tests in this assignment")
        program = writing.program(name)
        key = (program, writing.public_names, assignment.variants, assignment.writes_files)
        if key not in self._tested:
            asked = replace(assignment, submission_files=writing.program_files, laid_as=None)
            self._tested[key] = TestedServer(
                server=self.serve(self._resources, server_setup(asked, program.files)),
                jobs=Jobs(asked, writing.public_names),
                functions=assignment.module_names,
                sources=Sources({file.name: file.data for file in program.files}),
            )
        return self._tested[key]

    def suites(
        self,
        stack: ExitStack,
        assignment: Assignment,
        files: tuple[SourceFile, ...],
        students_program: TestedServer,
    ) -> SuiteObserver:
        """Return an object that runs a submission's tests; leaving `stack` ends its processes."""
        setup = suite_setup(assignment, files, self.interpreter)
        return SuiteObserver(
            assignment,
            self.folders,
            start_tests=partial(self.serve, stack, setup),
            program_of=partial(self.tested, assignment),
            students_program=students_program,
        )

    def compiled(self, sources: Mapping[str, str], entry: str) -> dict[str, bytes]:
        return tool_modules(self.interpreter, sources, entry)

    def replies(self, stack: ExitStack) -> TrustedFunction:
        """Return a function that runs the course's reply generators; leaving `stack` ends its
        processes.
        """
        return stack.enter_context(self.tool(REPLY_SOURCES, REPLY_ENTRY))

    @property
    def directory(self) -> str:
        """Return the folder in which scenarios run.

        Raise HarnessError if the driver is not entered as a context.
        """
        if not self._directory:
            raise HarnessError("the driver is used outside its context")
        return self._directory

    @property
    def folders(self) -> Path:
        return folders_beside(Path(self.directory))


@cache
def has_terminals() -> bool:
    """Return whether the system has pseudo-terminals, forks and a kernel that reports on
    processes, as Linux does.

    macOS has no such reports, which distinguish a loop from a sleep; over pipes a process reports
    on itself.
    """
    try:
        for name in ("fcntl", "pty", "resource", "termios"):
            importlib.import_module(name)
    except ImportError:
        return False
    return all(hasattr(os, name) for name in ("fork", "openpty", "pidfd_open"))


def create_driver(interpreter: Interpreter, tier: Tier, cpu: int | None = None) -> AnyDriver:
    """Return a driver on terminals if the system has them, pinned to the core `cpu`; otherwise one
    over pipes.
    """
    if has_terminals():
        from harness.execution.linux.driver import Driver  # noqa: PLC0415  (needs terminals)

        return Driver(interpreter, tier, cpu=cpu)
    from harness.execution.piped import PipedDriver  # noqa: PLC0415

    return PipedDriver(interpreter)


def cores() -> list[int]:
    """Return the CPU cores that this process may use.

    The first core depends on the process's id, so that parallel runs do not all choose the same
    one.
    """
    if hasattr(os, "sched_getaffinity"):
        numbers = sorted(os.sched_getaffinity(0))
    else:
        numbers = list(range(os.cpu_count() or 1))
    first = os.getpid() % len(numbers)
    return numbers[first:] + numbers[:first]


def pick_cpu() -> int | None:
    """Return a CPU core for the only driver of this process.

    A driver that stays on one core answers several times faster.
    """
    return cores()[0] if hasattr(os, "sched_setaffinity") else None


def did_not_compile(ending: Ending) -> Observation:
    """Return the observation of a submission whose process ended (`ending`) while it compiled the
    files.
    """
    return Observation(ending=ending, phase=Phase.LOADING, detail="while compiling")


_NOT_ALL_ASKED = frozenset(
    {
        Ending.STAND_IN_INAPPLICABLE,
        Ending.STAND_IN_FAILED,
        Ending.CPU_LIMIT,
        Ending.TIMEOUT,
        Ending.HARNESS_ERROR,
    }
)


class ObservedSubmission:
    """Runs the stimuli of one submission, each in a new process, until its `stack` is left."""

    def __init__(
        self,
        driver: AnyDriver,
        stack: ExitStack,
        server: ProcessServer,
        assignment: Assignment,
        files: tuple[SourceFile, ...],
        *,
        reference: tuple[SourceFile, ...],
    ) -> None:
        own_files = program_files(assignment, files)
        self._sources = Sources({file.name: file.data for file in own_files})
        self._has_cells = any(file.cell_ends for file in own_files)
        self._folders = driver.folders
        self._jobs = Jobs(assignment)
        self._functions = assignment.module_names
        self._server = server
        self._tests = partial(driver.tests, assignment)
        students_program = TestedServer(
            server=server, jobs=self._jobs, functions=self._functions, sources=self._sources
        )
        self._suites = cache(partial(driver.suites, stack, assignment, files, students_program))
        self._stand_ins = cache(lambda: driver.serve(stack, stand_in_setup(assignment, reference)))
        self._ask = partial(driver.answers.ask, cache(partial(driver.replies, stack)))

    def calls(self, stimulus: Stimulus, limits: Limits) -> tuple[str, ...] | None:
        """Return the calls that the program makes of functions that stand-ins replace, for
        `Stimulus.answered`. Return None if they cannot be replaced in this program or it does
        not end.
        """
        asked = AskedCalls()
        observed = self.observe(stimulus, limits, asked=asked)
        return None if observed.ending in _NOT_ALL_ASKED else asked.made()

    def observe(
        self,
        stimulus: Stimulus,
        limits: Limits,
        *,
        reply: NextLine | None = None,
        asked: AskedCalls | None = None,
    ) -> Observation:
        """Run a stimulus and return the observation. Raise HarnessError if our own machinery
        failed.

        With `reply`, the lines that this function returns are typed instead of the stimulus's
        inputs, and its time does not count. `asked` records the calls of the course's functions.
        """
        if stimulus.action.form is Form.SUITE:
            return self._observe_suite(stimulus, limits)
        if (observed := self._seen_without_a_run(stimulus, limits)) is not None:
            return observed
        screen = scenario_screen(stimulus)
        job, facts = self._compiled(stimulus, screen, limits)
        with ExitStack() as stack:
            folder = self._make_folder(stack, stimulus)
            if folder is not None:
                job = job.replaced(folder=str(folder.path))
            # At most one of them starts: a test never runs beside stand-ins.
            stand_in = self._start_stand_in(stack, stimulus, limits, asked)
            test = self._start_test(stack, stimulus, limits, folder)
            if stimulus.replies is not None:
                reply = partial(next_reply, stimulus.replies, self._ask)
            monitor = self._start(stack, stimulus, job, screen, limits)
            end = monitor.follow(
                stimulus.inputs,
                at_load=stimulus.at_load,
                folder=folder,
                stand_in=test or stand_in,
                reply_to=reply,
                is_piped=job.stdin is not None,
            )
            if monitor.course_fault:
                raise HarnessError(monitor.course_fault)
            if not monitor.compiled:
                return did_not_compile(end.reason or Ending.CRASHED)
            answerable = Answerable(stimulus, facts, self._sources, self._has_cells)
            observed = observation(answerable, limits, screen, end)
            if test is not None and not stimulus.traces_lines:
                return test.observed(observed, answerable)
            if folder is None:
                return observed
            return with_files(observed, folder.contents())

    def _seen_without_a_run(self, stimulus: Stimulus, limits: Limits) -> Observation | None:
        """Return the observation if it is known without starting a process, otherwise None."""
        if stimulus.action.form is Form.TEST and (stimulus.substitutions or stimulus.stand_ins):
            # The test's process is used in place of a stand-in process.
            return Observation(ending=Ending.STAND_IN_INAPPLICABLE, detail="a test runs it")
        return self._server.seen_of_all(limits)

    def _observe_suite(self, stimulus: Stimulus, limits: Limits) -> Observation:
        if stimulus.substitutions or stimulus.traces_lines or stimulus.finds_loop:
            # A question about tests has no cause in a function of a program.
            return Observation(ending=Ending.STAND_IN_INAPPLICABLE, detail="tests run it")
        return self._suites().observe(stimulus, limits)

    def _compiled(
        self, stimulus: Stimulus, screen: ScreenParser, limits: Limits
    ) -> tuple[ScenarioJob, StimulusFacts]:
        """Return the job of a stimulus, with the secrets of this screen, and facts about
        its code.
        """
        job, facts = self._server.compile(self._jobs.job(stimulus), self._functions)
        job = job.replaced(
            sentinel=screen.sentinel,
            prompt_mark=screen.prompt_mark,
            longest_sleep=limits.wall_seconds,
        )
        return job, facts

    def _make_folder(self, stack: ExitStack, stimulus: Stimulus) -> ScenarioFolder | None:
        """Make the scenario's folder; leaving `stack` removes it.

        Return None if the scenario has none.
        """
        if not stimulus.folder:
            return None
        guest = None
        if stimulus.action.form is Form.TEST:
            guest = self._tests().owner
        folder = ScenarioFolder(self._folders, stimulus.files, self._server.owner, guest=guest)
        stack.callback(folder.remove)
        return folder

    def _start_stand_in(
        self, stack: ExitStack, stimulus: Stimulus, limits: Limits, asked: AskedCalls | None
    ) -> StandInProcess | None:
        """Start the process that runs the course's stand-in modules; return None if the scenario
        has none.
        """
        all_provided = all(substitution.provided for substitution in stimulus.substitutions)
        if not stimulus.stand_ins and all_provided:
            return None
        job = self._jobs.stand_in_job(stimulus)
        stand_in = self._stand_ins().start_stand_in(stack, job, limits)
        stand_in.asked = asked or AskedCalls(stimulus.answered)
        return stand_in

    def _start_test(
        self,
        stack: ExitStack,
        stimulus: Stimulus,
        limits: Limits,
        folder: ScenarioFolder | None,
    ) -> CourseTestConversation | None:
        """Start the process of the course's test for this stimulus; return None if the stimulus is
        not a test.
        """
        if stimulus.action.form is not Form.TEST:
            return None
        place = "" if folder is None else str(folder.path)
        job = test_job(stimulus, place)
        process = self._tests().start_stand_in(stack, job, test_limits(limits))
        return CourseTestConversation(process, folder)

    def _start(
        self,
        stack: ExitStack,
        stimulus: Stimulus,
        job: ScenarioJob,
        screen: ScreenParser,
        limits: Limits,
    ) -> ScenarioMonitor:
        """Start the process of the stimulus. Return an object to follow it."""
        if _log.isEnabledFor(logging.INFO):  # the text costs more than most calls
            _log.info("observing %s", visible(stimulus.action.display()))
        typed = (*stimulus.at_load, *stimulus.inputs)
        hears_ctrl_c = any(line.key is Key.CTRL_C for line in typed)
        return self._server.start(stack, job, screen, limits, hears_ctrl_c=hears_ctrl_c)
