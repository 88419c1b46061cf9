"""Holds everything that all ways to run submissions have in common: on terminals (`linux`), over
pipes (`piped`) and in a page (`browser`).

A submission's process may have two of the course's beside it: stand-in modules, which it calls, and
a generator, which replies to its output with a line to type.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol, Self

from harness.common.errors import HarnessError
from harness.common.escaping import visible
from harness.common.logs import logger_of
from harness.execution.folder import ScenarioFolder, folders_beside, prepare, scratch_directory
from harness.execution.inside.messages.exceptions import Sources
from harness.execution.inside.messages.frames import HEAD
from harness.execution.inside.messages.protocol import (
    MAX_REPLY_BYTES,
    FromScenario,
    ScenarioJob,
    StandInJob,
    ToolJob,
    split,
)
from harness.execution.inside.scenario.evaluate import analyse
from harness.execution.interpreter import Interpreter
from harness.execution.protocol.answers import Answerable, StimulusFacts, stand_in_reason
from harness.execution.protocol.jobs import (
    Jobs,
    program_files,
    server_setup,
    stand_in_setup,
    tool_modules,
)
from harness.execution.protocol.observation import End, observation, with_files
from harness.execution.protocol.replies import FrameBuffer, TamperedError, read_text
from harness.execution.protocol.screen import (
    ScreenParser,
    joined,
    plain_screen,
    scenario_screen,
)
from harness.execution.stand_in_process import AskedCalls, StandInProcess, StandInUnusableError
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Ending, Filled, Observation, Phase, Tier
from harness.model.stimulus import Key, Limits, Replies, Stimulus, Typed

_log = logger_of(__name__)


class Observes(Protocol):
    """One submission, ready to be observed."""

    def observe(self, stimulus: Stimulus, limits: Limits) -> Observation:
        """Return what the program does when given this stimulus.

        Raise HarnessError if our machinery failed.
        """


class Answers(Protocol):
    """A loaded function of ours, ready to be called."""

    def run(self, payload: str) -> str:
        """Return the answer.

        Raise ToolFailed if it gave none, HarnessError if our machinery failed.
        """


CallsOf = Callable[[Stimulus, Limits], tuple[str, ...] | None]
"""Digests of what is asked of the functions that a stimulus substitutes (`Stimulus.answered`); None
where they cannot be substituted."""


class AnyDriver(ABC):
    """What runs submissions, in whichever way; a context manager, used from one thread."""

    def __init__(self, interpreter: Interpreter, tier: Tier) -> None:
        self.interpreter = interpreter
        self.tier = tier
        self.answers = RememberedAnswers()
        self._held = ExitStack()
        self._directory = ""

    def __enter__(self) -> Self:
        self._directory = str(prepare(self._held.enter_context(scratch_directory())))
        return self

    def __exit__(self, *error: object) -> None:
        self._held.close()
        self._directory = ""

    def varied(self, *, hash_seed: int, clock_offset: int) -> AnyDriver | None:
        """A driver that runs submissions as this one does, under another seed of text hashes and a
        clock moved by so many seconds; None if it cannot."""
        return None

    @abstractmethod
    def serve(self, stack: ExitStack, setup: Mapping[str, Any]) -> ProcessServer:
        """Start the servers of processes with this setup, until the stack is left.

        Raise HarnessError if that fails.
        """

    @contextmanager
    def submission(
        self,
        assignment: Assignment,
        files: tuple[SourceFile, ...],
        reference: tuple[SourceFile, ...] = (),
    ) -> Iterator[Observes]:
        """Serve one submission.

        The functions of `reference` can be substituted for its own: they answer from another
        process. Raise HarnessError if our own machinery fails.
        """
        with ExitStack() as stack:
            server = self.serve(stack, server_setup(assignment, files))
            yield ObservedSubmission(self, stack, server, assignment, files, reference=reference)

    @contextmanager
    def asked_by(
        self, assignment: Assignment, reference: tuple[SourceFile, ...]
    ) -> Iterator[CallsOf]:
        """Return the object that tells which calls the reference makes of its own functions, if
        they are substituted.
        """
        with ExitStack() as stack:
            server = self.serve(stack, server_setup(assignment, reference))
            program = ObservedSubmission(
                self, stack, server, assignment, reference, reference=reference
            )
            yield program.calls

    @contextmanager
    def tool(self, sources: Mapping[str, str], entry: str) -> Iterator[Answers]:
        """Serve a trusted function of ours, `entry` ("package.module:function", str to str), from
        sources by module name. Each call has its own process.
        """
        with ExitStack() as stack:
            yield Tool(self.serve(stack, {"tool": self.compiled(sources, entry), "entry": entry}))

    def compiled(self, sources: Mapping[str, str], entry: str) -> dict[str, bytes]:
        return tool_modules(self.interpreter, sources, entry)

    def replies(self, stack: ExitStack) -> Answers:
        """Return the object that answers for the course, until the stack is left."""
        return stack.enter_context(self.tool(REPLY_SOURCES, REPLY_ENTRY))

    @property
    def directory(self) -> str:
        """Return the folder in which scenarios run.

        Raise HarnessError outside the driver's context.
        """
        if not self._directory:
            raise HarnessError("the driver is used outside its context")
        return self._directory

    @property
    def folders(self) -> Path:
        return folders_beside(Path(self.directory))


@cache
def has_terminals() -> bool:
    """Return whether there are pseudo-terminals, forks and a kernel that reports on processes, as
    on Linux.

    macOS lacks the last, which tells a loop from a sleep; over pipes a process reports on itself.
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


TOOL_LIMITS = Limits(cpu_seconds=10.0, wall_seconds=30.0, memory_mib=512, output_kib=256)


class ToolFailed(Exception):  # noqa: N818 - a fact about the payload, not about us
    """The call gave no answer; `ending`: how it ended instead."""

    def __init__(self, ending: Ending, detail: str = "") -> None:
        self.ending = ending
        self.detail = detail
        super().__init__(f"{ending}: {detail}" if detail else str(ending))


def cores() -> list[int]:
    """Return the processors that this process may use.

    The first one depends on its number, so that parallel runs do not all pick the same.
    """
    if hasattr(os, "sched_getaffinity"):
        numbers = sorted(os.sched_getaffinity(0))
    else:
        numbers = list(range(os.cpu_count() or 1))
    first = os.getpid() % len(numbers)
    return numbers[first:] + numbers[:first]


def pick_cpu() -> int | None:
    """Return a processor for the only driver of this process, which then answers several times
    faster.
    """
    return cores()[0] if hasattr(os, "sched_setaffinity") else None


NextLine = Callable[[list[str]], Typed | None]
"""The line to type next, from the text printed in each turn so far; None: nothing more."""


_FOR_STAND_IN = (FromScenario.CALL, FromScenario.STAND_IN_INAPPLICABLE)


class ScenarioMonitor(ABC):
    """Follows one scenario's process: reads what it sends and shows, and types when it asks for
    input, unless a module is loading. `deliver` passes a message to the process."""

    course_fault = ""  # what the course's generator of replies did wrong
    compiled = True  # whether the process has compiled what it was sent

    def __init__(
        self, screen: ScreenParser, limits: Limits, deliver: Callable[[bytes], None]
    ) -> None:
        self._screen = screen
        self._most_output = limits.output_kib * 1024
        self._deliver = deliver
        self._stand_in_asks = False
        self._received = FrameBuffer()
        self._reply: list[bytes] = []
        self._space = MAX_REPLY_BYTES
        self._reason: Ending | None = None
        self._detail = ""
        self._filled = Filled.SCREEN

    def follow(
        self,
        inputs: tuple[Typed, ...] = (),
        *,
        folder: ScenarioFolder | None = None,
        stand_in: StandInProcess | None = None,
        reply_to: NextLine | None = None,
        is_piped: bool = False,
    ) -> End:
        """Follow the process until it is gone. With `reply_to`, what it gives is typed in place of
        `inputs`; with `is_piped`, nothing is typed, since the process has its input. HarnessError
        when our own machinery is gone."""
        self._is_piped = is_piped
        self._inputs = list(reversed(inputs))  # the next one last
        self._folder, self._stand_in, self._reply_to = folder, stand_in, reply_to
        _log.info("process started")
        exit_code, cpu_seconds = self._follow()
        _log.info("process ended, exit status %d", exit_code)
        if self._reason is None and self._received.data:  # cut off, and not by us
            self._reason, self._detail = Ending.TAMPERED, "an unreadable reply"
        return End(
            reason=self._reason,
            exit_code=exit_code,
            cpu_seconds=cpu_seconds,
            reply=tuple(self._reply),
            detail=self._detail,
            filled=self._filled,
        )

    @abstractmethod
    def _follow(self) -> tuple[int, float]:
        """Wait until the process is gone: its exit status (negative: a signal), its CPU seconds."""

    @abstractmethod
    def _kill(self) -> None:
        """End the process."""

    @abstractmethod
    def _exclude_since(self, begun: float) -> None:
        """Do not count the time since then: the process waited for another one of ours."""

    def _stop(self, reason: Ending, detail: str = "", *, filled: Filled = Filled.SCREEN) -> None:
        if self._reason is None:
            if reason is Ending.ASKED_FOR_MORE and self._stand_in_asks:
                reason, detail = Ending.STAND_IN_FAILED, "it asked for more input"
            self._reason, self._detail, self._filled = reason, detail, filled
            _log.info("process killed: %s%s", reason.value, f" ({detail})" if detail else "")
            self._kill()

    def _type_next(self) -> Typed | None:
        """Type the next line and remember its place; without more lines the scenario ends."""
        typed = None
        if self._screen.loaded and self._reply_to is not None:
            begun = time.monotonic()
            try:
                _, parts = self._screen.parts(len(self._screen.raw))
                typed = self._reply_to([turn.printed for turn in joined(parts)])
            except ReplyFaultError as error:
                self.course_fault = str(error)
            self._exclude_since(begun)
        elif self._screen.loaded and self._inputs:
            typed = self._inputs.pop()
        if typed is None:
            self._stop(Ending.ASKED_FOR_MORE)
        else:
            self._screen.remember(typed)
        return typed

    def _show(self, data: bytes) -> None:
        """Take what a person would see."""
        self._screen.raw += data
        if self._screen.exceeds(self._most_output):
            self._stop(Ending.OUTPUT_LIMIT)

    def _read(self, data: bytes) -> None:
        """Handle the frames that are whole now, or keep them as parts of the reply."""
        if self._reason is Ending.TAMPERED:
            return
        self._received.data += data
        try:
            while (frame := self._received.next()) is not None:
                if not self._handled(frame):
                    self._reply.append(frame)
                    self._space -= HEAD + len(frame)
                if self._space < 0:
                    raise TamperedError("a reply too large")
        except TamperedError as error:
            self._stop(Ending.TAMPERED, str(error))

    def _handled(self, frame: bytes) -> bool:
        """Do what the frame asks for, here of the stand-in: to answer a call, or to end since it
        does not apply. False if it asks for nothing, and is a part of the reply."""
        kind, body = split(frame)
        if kind not in _FOR_STAND_IN or self._stand_in is None:
            return False
        if self._reason is None:
            begun = time.monotonic()
            try:
                if kind == FromScenario.STAND_IN_INAPPLICABLE:
                    why = stand_in_reason(body)
                    raise StandInUnusableError(Ending.STAND_IN_INAPPLICABLE, why)
                self._stand_in_asks = self._stand_in.exchange(body, self._deliver)
            except StandInUnusableError as error:
                self._stop(error.ending, str(error))
            self._exclude_since(begun)
        return True


def did_not_compile(ending: Ending) -> Observation:
    """Return the observation of a submission whose process ended while compiling it."""
    return Observation(ending=ending, phase=Phase.LOADING, detail="while compiling")


class ProcessServer(ABC):
    """Starts processes with one setup: a submission's, a tool's, or of the course's stand-ins."""

    owner: int | None = None  # the user for whom its scenarios' folders are made; None: this one

    def seen_of_all(self, limits: Limits) -> Observation | None:
        """Return the observation of every stimulus if no process can be started."""
        return None

    def compile(
        self, job: ScenarioJob, functions: tuple[str, ...]
    ) -> tuple[ScenarioJob, StimulusFacts]:
        """Return the job, its texts compiled if that is done in advance, and the facts of its
        stimulus for a program with these functions.
        """
        given, expression, steps, _ = job.texts or ("", "", (), "")
        needs, arguments = analyse(given, expression, steps, frozenset(functions))
        return job, StimulusFacts(frozenset(needs), arguments)

    @abstractmethod
    def start(
        self,
        stack: ExitStack,
        job: ScenarioJob | ToolJob,
        screen: ScreenParser,
        limits: Limits,
        *,
        hears_ctrl_c: bool = False,
    ) -> ScenarioMonitor:
        """Start a process that does this job, until the stack is left.

        With `hears_ctrl_c` that key is among the typed input.
        """

    @abstractmethod
    def start_stand_in(self, stack: ExitStack, job: StandInJob, limits: Limits) -> StandInProcess:
        """Start a process with the stand-ins of a scenario, until the stack is left."""


class Tool:
    """A function of ours, ready to be called."""

    def __init__(self, server: ProcessServer) -> None:
        self._server = server

    def run(self, payload: str, limits: Limits = TOOL_LIMITS) -> str:
        """Return the function's answer.

        Raise ToolFailed if it gave none, HarnessError if our machinery failed.
        """
        if (seen := self._server.seen_of_all(limits)) is not None:
            raise ToolFailed(seen.ending)
        with ExitStack() as stack:
            job = ToolJob(payload=payload)
            end = self._server.start(stack, job, plain_screen(), limits).follow()
        if end.reason is not None:
            raise ToolFailed(end.reason)
        try:
            text = read_text(end.reply)
        except TamperedError as error:
            raise ToolFailed(Ending.TAMPERED, str(error)) from None
        if text is None or end.exit_code != 0:
            raise ToolFailed(Ending.CRASHED, f"exit status {end.exit_code}")
        return text


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
    """Observes one submission until the stack is left, a fresh process for each stimulus."""

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
        self._folders = driver.folders
        self._jobs = Jobs(assignment)
        self._functions = assignment.module_names
        self._server = server
        self._stand_ins = cache(lambda: driver.serve(stack, stand_in_setup(assignment, reference)))
        self._ask = partial(driver.answers.ask, cache(partial(driver.replies, stack)))

    def calls(self, stimulus: Stimulus, limits: Limits) -> tuple[str, ...] | None:
        """Return the calls that the program makes of the substituted functions, for
        `Stimulus.answered`; None if they cannot be substituted in it or it does not end.
        """
        asked = AskedCalls()
        seen = self.observe(stimulus, limits, asked=asked)
        return None if seen.ending in _NOT_ALL_ASKED else asked.made()

    def observe(
        self,
        stimulus: Stimulus,
        limits: Limits,
        *,
        reply: NextLine | None = None,
        asked: AskedCalls | None = None,
    ) -> Observation:
        """Return what the submission did. HarnessError when our own machinery failed. With `reply`,
        what it gives is typed in place of the stimulus's inputs; how long that takes does not
        count. `asked` notes what it asks of the course's functions."""
        server = self._server
        if (seen := server.seen_of_all(limits)) is not None:
            return seen
        job, facts = server.compile(self._jobs.job(stimulus), self._functions)
        screen = scenario_screen(stimulus)
        job = job.replaced(
            sentinel=screen.sentinel,
            prompt_mark=screen.prompt_mark,
            longest_sleep=limits.wall_seconds,
        )
        folder, stand_in = None, None
        with ExitStack() as stack:
            if stimulus.folder:
                folder = ScenarioFolder(self._folders, stimulus.files, server.owner)
                stack.callback(folder.remove)
                job = job.replaced(folder=str(folder.path))
            if stimulus.stand_ins or not all(each.provided for each in stimulus.substitutions):
                stand_in_job = self._jobs.stand_in_job(stimulus)
                stand_in = self._stand_ins().start_stand_in(stack, stand_in_job, limits)
                stand_in.asked = asked or AskedCalls(stimulus.answered)
            if stimulus.replies is not None:
                reply = partial(_replied, stimulus.replies, self._ask)
            hears_ctrl_c = any(typed.key is Key.CTRL_C for typed in stimulus.inputs)
            _log.info("observing %s", visible(stimulus.action.display()))
            monitor = server.start(stack, job, screen, limits, hears_ctrl_c=hears_ctrl_c)
            end = monitor.follow(
                stimulus.inputs,
                folder=folder,
                stand_in=stand_in,
                reply_to=reply,
                is_piped=stimulus.stdin is not None,
            )
            if monitor.course_fault:
                raise HarnessError(monitor.course_fault)
            if not monitor.compiled:
                return did_not_compile(end.reason or Ending.CRASHED)
            answerable = Answerable(stimulus, facts, self._sources)
            seen = observation(answerable, limits, screen, end)
            return seen if folder is None else with_files(seen, folder.contents())


REPLY_ENTRY = "course_replies:answer"
_LONGEST_LINE = 4000  # bytes; a terminal takes no more than 4,095
_MOST_REMEMBERED = 4096  # answers
# For each line the generator is started anew and given all that was printed so far, so that nothing
# is kept between two lines, and nothing of it is in the process that runs a submission.
_SOURCE = """
import json
def answer(payload):
    asked = json.loads(payload)
    space = {"__name__": asked["module"]}
    exec(compile(asked["source"], asked["module"] + ".py", "exec"), space)
    constants = {name: eval(text) for name, text in asked["constants"]}
    first, *others = asked["printed"]
    try:
        replies = space[asked["function"]](first, **constants)
        line = next(replies)
        for text in others:
            line = replies.send(text)
    except StopIteration:
        return json.dumps({"ended": True})
    except Exception as error:
        return json.dumps({"error": type(error).__name__ + ": " + str(error)[:300]})
    return json.dumps({"line": line if type(line) is str else None})
"""
REPLY_SOURCES = {"course_replies": _SOURCE}


class ReplyFaultError(Exception):
    """The course's generator of replies failed. `str()` names it and says how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    text: str
    confirmed: bool  # it was given twice


class RememberedAnswers:
    """What generators of replies answered to a driver's submissions, which print much the same."""

    def __init__(self) -> None:
        self._answers: OrderedDict[bytes, _Answer] = OrderedDict()

    def ask(self, tool: Callable[[], Answers], payload: str) -> str:
        """Return the tool's answer.

        The same question is asked twice to see that the answers are the same; later the answer is
        remembered. Raise HarnessError if the second answer differs.
        """
        key = hashlib.sha256(payload.encode()).digest()
        before = self._answers.get(key)
        if before is not None and before.confirmed:
            self._answers.move_to_end(key)
            return before.text
        text = tool().run(payload)
        if before is not None and before.text != text:
            raise HarnessError("the reply to the same printed text is not the same each time")
        if len(text) <= 2 * _LONGEST_LINE:
            self._answers[key] = _Answer(text=text, confirmed=before is not None)
            if len(self._answers) > _MOST_REMEMBERED:
                self._answers.popitem(last=False)
        return text


def _replied(replies: Replies, ask: Callable[[str], str], printed: list[str]) -> Typed | None:
    """Return the next line to type, or None for nothing more. `ask` calls `REPLY_ENTRY`.

    Raise ReplyFaultError if the generator raises, returns something else than text, does not end,
    or answers differently each time.
    """
    if len(printed) > replies.most:
        return None
    name = f"{replies.file}: {replies.function}"
    payload = json.dumps(
        {
            "module": replies.file.removesuffix(".py"),
            "source": replies.source,
            "function": replies.function,
            "constants": [(each.name, each.literal) for each in replies.constants],
            "printed": printed,
        }
    )
    try:
        answer = json.loads(ask(payload))
    except ToolFailed as failure:
        raise ReplyFaultError(f"{name} gives no reply ({failure})") from None
    except HarnessError as failure:
        raise ReplyFaultError(f"{name}: {failure}") from None
    if "error" in answer:
        raise ReplyFaultError(f"{name} raised {visible(answer['error'])}")
    if "ended" in answer:
        return None
    line = answer["line"]
    if line is None or not line.isprintable() or len(line.encode()) > _LONGEST_LINE:
        raise ReplyFaultError(f"{name} must yield one line of text")
    return Typed(text=line)
