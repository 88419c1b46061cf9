"""Everything that the driver and the processes below it say to each other, in one place.

A message travels behind its length (`frames`). Its first byte is its kind, one of the enums below;
the rest is its body. Each channel has an enum for each direction. This module is sent to the
interpreter that runs submissions as it stands here, and the driver imports it too.

| channel                   | to the process             | to the driver                           |
|---------------------------|----------------------------|-----------------------------------------|
| the zygote's socket       | `ToZygote`                 | `FromZygote`                            |
| the compile worker's      | `ToCompileWorker`          | `FromCompileWorker`                     |
| a server's socket         | `ToServer`                 | `FromServer`                            |
| a scenario's channel      | a job; answers (see below) | `FromScenario`                          |
| … with stand-ins          | `FromStandIn`, passed on   | `FromScenario.CALL`, holds `ToStandIn`  |
| … over pipes              | `Keyboard`                 | `Heartbeat`; `Mark` among the output    |
| … in a browser            |                            | `FromBrowser`                           |
| a stand-in's channel      | a job, `ToStandIn`         | `FromStandIn`                           |
| a shared run's channel    | a job, `ToSharedRun`       | `FromSharedRun`                         |
| a tool's channel          | a job                      | `FromTool`                              |
| a test's channel          | a job, the program's words | `FromTests`                             |

After its job, a scenario's process gets only a stand-in's answers or typed input: the next rows.

A session of two steps on Linux, from the server's start to its observation:

    driver                         zygote     server              the scenario's process
      | ToZygote.START  ------------>|
      |<-- FromZygote.STARTED -------|---fork--->|
      | the setup  ----------------------------->|
      |<-- FromServer.CONFINED ------------------|
      |<-- FromServer.READY ---------------------|  (the submission is compiled)
      | ToServer.FORK (with three descriptors) ->|---fork--->|
      | the job  ------------------------------------------->|
      |<-- FromScenario.SUBMISSION_RUNS ---------------------|  (the provided files are loaded)
      |<-- FromScenario.REACHED "stimulus" ------------------|
      |<-- FromScenario.ASKS_FOR_INPUT ----------------------|  (no frame if the kernel tells)
      |<-- FromScenario.STEP --------------------------------|
      |<-- FromScenario.STEP --------------------------------|
      |<-- FromScenario.ANSWER ------------------------------|
      |<-- FromServer.ENDED ---------------------|<--exit 0--|

Everything from a scenario's process or a shared run may have been written by the submission.
`harness.execution.protocol.replies` checks it, by the limits at the end of this module.
"""

from __future__ import annotations

import marshal
from enum import Enum, unique

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self, TypeAlias, dataclass_transform
else:  # `typing` would cost each interpreter of the portable tier several milliseconds

    def dataclass_transform(**_):
        """Tell type checkers only that a class's annotations are its fields."""
        return lambda kind: kind


@unique
class ToZygote(bytes, Enum):
    """Requests to the process that all servers are forked from."""

    START = b"S"  # fork a server; its end of a socket comes along
    END = b"E"  # end the server of this number, and all below it; 0: only answer


@unique
class FromZygote(bytes, Enum):
    """The zygote's answers, one for each request; the first says that the zygote is prepared."""

    READY = b"R"
    STARTED = b"P"  # the server's number, with a pidfd if the system has them
    ENDED = b"E"


@unique
class ToCompileWorker(bytes, Enum):
    """Requests to the process that compiles stimuli and holds no submission (bodies: marshal)."""

    STIMULUS = b"S"  # the functions' names, and the stimulus's texts
    LITERALS = b"L"  # a list of literals
    MODULES = b"M"  # the files of a selection


@unique
class FromCompileWorker(bytes, Enum):
    """The compile worker's answers."""

    COMPILED = b"C"  # of a stimulus: its number of arguments, and its code; of literals: their code


@unique
class ToServer(bytes, Enum):
    """Messages to a server, after its setup."""

    FORK = b"F"  # a `ForkRequest`; a terminal and the two ends of a channel come along
    KILL = b"K"  # end the process that runs now
    TELL_PID = b"?"


@unique
class FromServer(bytes, Enum):
    """Messages from a server."""

    CONFINED = b"C"  # with the listener for reads, if there is one
    READY = b"R"  # the submission is compiled
    PID = b"P"  # the running process's number, with a pidfd if the system has them
    ENDED = b"E"  # the process's wait status and CPU time in microseconds, as decimal numbers


@unique
class JobKind(bytes, Enum):
    """Which job a process gets as its first message."""

    SCENARIO = b"S"
    SHARED_RUN = b"M"
    STAND_IN = b"I"
    TOOL = b"T"
    TEST = b"U"
    SUITE = b"W"


@unique
class FromScenario(bytes, Enum):
    """Messages from a scenario's process. Bodies are JSON in ASCII, or nothing."""

    BROKEN = b"B"  # why a provided file does not load; only before the submission runs
    SUBMISSION_RUNS = b"L"  # from here on the submission may write anything
    ASKS_FOR_INPUT = b"Q"
    REACHED = b"G"  # the phase that begins
    LINE_RAN = b"X"  # a line that ran for the first time, if lines are traced
    STEP = b"S"  # the outcome of a session's step
    ANSWER = b"A"  # the outcome of the stimulus, or the place of its loop: the only final reply
    CALL = b"C"  # for the stand-in: a message of `ToStandIn`
    STAND_IN_INAPPLICABLE = b"N"  # why a stand-in cannot be used


@unique
class ToStandIn(bytes, Enum):
    """Messages to a stand-in from the submission's process. Bodies are JSON."""

    CALL = b"C"  # module and function, arguments, keywords, and the contents of containers
    LINE = b"L"  # a line that it asked for
    NO_LINE = b"E"  # the name of the exception that `input` raised in its place


@unique
class FromStandIn(bytes, Enum):
    """Messages from a stand-in to the submission's process. Bodies are JSON."""

    PRINTED = b"P"
    ASKS_FOR_LINE = b"I"  # with this prompt
    OUTCOME = b"V"  # of the call: its value or exception, and the changed containers
    INAPPLICABLE = b"N"  # why it cannot be used; goes to the driver


@unique
class ToSharedRun(bytes, Enum):
    """Messages to a process with many scenarios."""

    LOAD = b"F"  # load the program beside a selection of files, and their code (marshal)
    QUESTION = b"Q"  # a `Question`
    LINE = b"L"  # a typed line, in UTF-8
    NO_LINE = b"E"  # the input has ended
    LEAVE = b"X"  # the questions have ended


@unique
class FromSharedRun(bytes, Enum):
    """Answers of a process with many scenarios."""

    LOADED = b"R"
    SEEN = b"S"  # the answer as JSON, the places of reads and steps, the output: a line each
    ASKS_FOR_LINE = b"I"
    GAVE_UP = b"U"  # the scenario needs its own process
    REFUSED = b"N"  # why no scenario of this program may share a process
    NOT_PLAIN = b"O"  # the same: which of its objects might change unseen
    CHANGED = b"K"  # this scenario's changes to the program


# The places in the output of a shared run, as `FromSharedRun.SEEN` lists them: one of these
# letters, then how much of the output came before.
AT_INPUT = "i"
AT_PROMPT = "p"
AT_STEP = "s"


@unique
class FromTool(bytes, Enum):
    """Answers of a tool's process: it calls one of our trusted functions, which reads a student's
    files.
    """

    ANSWER = b"A"  # its text as JSON


@unique
class FromTests(bytes, Enum):
    """Messages from a test's process. Bodies are JSON."""

    FOR_PROGRAM = b"P"  # passed on to the program's process, which answers by `FromScenario.CALL`
    CALLED = b"C"  # the number of a call that it makes, and the call in words
    CAME_BACK = b"B"  # that number, and what came of the call
    OUTCOME = b"O"  # how the test came out: the last message
    BEGINS = b"T"  # of a suite: the name of the test that runs from now on
    CAME_OUT = b"R"  # of a suite: how that test came out


@unique
class Keyboard(bytes, Enum):
    """Messages with typed input, for processes behind pipes."""

    LINE = b"L"  # UTF-8, with its line end
    CTRL_C = b"C"
    CTRL_D = b"D"


@unique
class Heartbeat(bytes, Enum):
    """Reports of a process behind pipes about its own CPU time, beside its other messages."""

    STARTED = b"U"  # the interpreter works
    BEGINS = b"R"  # the submission is compiled
    COMPUTED = b"T"  # CPU time so far in microseconds, a decimal number


@unique
class Mark(bytes, Enum):
    """The meaning of a secret in the output of a process behind pipes: the byte that follows the
    secret.
    """

    ASKS_FOR_INPUT = b"?"
    OVER = b"."  # nothing more is shown


@unique
class FromBrowser(bytes, Enum):
    """Reports of the interpreter in the browser to its monitor.

    On other systems the kernel reports these events.
    """

    SLEEPS = b"Z"  # so many seconds
    INTERRUPT_AFTER = b"P"  # so many seconds


def split(frame: bytes) -> tuple[bytes, bytes]:
    """Return a message's kind and body."""
    return frame[:1], frame[1:]


@dataclass_transform(kw_only_default=True, frozen_default=True)
class ProtocolRecord:
    """Base of plain data sent to another process.

    Its annotations are its fields, passed by name.
    """

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment]  # fields may be lists

    def replaced(self, **changes: Any) -> Self:
        """Return a copy with other values for these fields."""
        return type(self)(**{**vars(self), **changes})

    def encode(self) -> bytes:
        return marshal.dumps(vars(self), 2)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        return cls(**marshal.loads(data))


if TYPE_CHECKING:
    Files: TypeAlias = tuple[tuple[str, bytes], ...]
    # The files that one scenario has instead of the usual ones, and beside them.
    OwnFiles: TypeAlias = tuple[Files, Files]
    # Its files (None: it has the usual ones); its stand-in modules as (name, functions, other
    # names); the substituted names of the main module as (name, the provided module of a constant,
    # or empty for a function).
    Selection: TypeAlias = tuple[
        OwnFiles | None,
        tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...],
        tuple[tuple[str, str], ...],
    ]
else:
    Selection = tuple

USUAL_FILES: Selection = (None, (), ())  # of a scenario with the files of most scenarios
COMPILE_WORKER_SETUP: dict[str, Any] = {}  # instead of a server's setup


class ScenarioJob(ProtocolRecord):
    """The task of one scenario's process."""

    kind: ClassVar[JobKind] = JobKind.SCENARIO

    action: str  # the module of `inside.stimuli` that performs it
    runs: bool  # whether a program is run as `__main__`
    serves: bool = False  # whether it answers calls of a test in another process
    public_names: list[str] | None = None  # all that tests may use of it; None: everything
    program: str  # its file, or the main module's
    argv: list[str]
    texts: tuple[Any, ...] | None  # of the stimulus, if the process is to compile them
    stimulus: bytes = b""  # the compiled stimulus, else
    bindings: list[tuple[str, Any]]  # drawn names; literals, compiled if the stimulus is
    selection: Selection
    seed: int
    clock: tuple[int, int] | None
    stdin: str | None
    stderr_apart: bool
    environment: dict[str, str]
    finds_loop: bool
    traces_lines: bool
    counts_lines: bool
    keeps_figures: bool = False  # that it draws with matplotlib
    # Added by the driver.
    sentinel: bytes = b""  # written to the terminal at the end of a part of the output
    prompt_mark: bytes = b""  # written to the terminal before the text of an `input` call
    longest_sleep: float = 0.0
    starts_nothing: bool = False  # the kernel refuses it threads and processes
    folder: str = ""
    files: Files = ()  # to be written to the folder first, in a browser
    asks_by_frame: bool = False  # the kernel does not tell the driver of reads


class SharedRunJob(ProtocolRecord):
    """The job of a process that runs many scenarios, one `Question` each."""

    kind: ClassVar[JobKind] = JobKind.SHARED_RUN

    main: str  # the module's name
    cpu_seconds: float  # for loading
    memory_kib: int  # that may be touched beyond what loading took
    selection: Selection


class Question(ProtocolRecord):
    """One scenario for a process that runs many.

    There are thousands for each submission, so they are sent without field names.
    """

    cpu_seconds: float
    output_bytes: int
    action: str
    runs: bool
    program: str
    argv: list[str]
    bindings: list[tuple[str, bytes]]
    seed: int
    stimulus: bytes

    def encode(self) -> bytes:
        fields = vars(self)
        return marshal.dumps([fields[name] for name in type(self).__annotations__], 2)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        question = cls.__new__(cls)
        vars(question).update(zip(cls.__annotations__, marshal.loads(data)))  # noqa: B905
        return question


class StandInJob(ProtocolRecord):
    """The job of the process that runs the course's modules in place of the student's
    (stand-ins).
    """

    kind: ClassVar[JobKind] = JobKind.STAND_IN

    modules: list[tuple[str, str, tuple[str, ...]]]  # name, file, and the functions it answers for
    beside: bool  # whether the reference's files may be imported by them
    variant: int  # of the provided constants
    provide: list[str]
    seed: int
    clock: tuple[int, int] | None


class ToolJob(ProtocolRecord):
    """One call of a trusted function."""

    kind: ClassVar[JobKind] = JobKind.TOOL

    payload: str


class CourseTestJob(ProtocolRecord):
    """One of the course's tests, which uses the program in another process."""

    kind: ClassVar[JobKind] = JobKind.TEST

    file: str
    test: str  # its name below the file, `Class::test`
    index: int  # of its set of parameters; below 0: all of them
    part: int  # the number of the subTest; below 0: all of them
    is_doctest: bool
    seed: int
    folder: str = ""  # that it shares with the program; empty: there is none


class SuiteJob(ProtocolRecord):
    """The tests that a student submitted, which use a program in another process."""

    kind: ClassVar[JobKind] = JobKind.SUITE

    only: list[str] | None  # names of tests; None: all
    without: list[str]  # names of tests that are left out
    seed: int
    folder: str  # that it shares with the program


if TYPE_CHECKING:
    Job: TypeAlias = ScenarioJob | SharedRunJob | StandInJob | ToolJob | CourseTestJob | SuiteJob
else:
    Job = ProtocolRecord

_JOBS: tuple[type[ProtocolRecord], ...] = (
    ScenarioJob, SharedRunJob, StandInJob, ToolJob, CourseTestJob, SuiteJob,
)  # fmt: skip


def encode_job(job: Job) -> bytes:
    """Return the message that begins a process's work."""
    return job.kind + job.encode()


def decode_job(message: bytes) -> Any:
    """Return the job in this message, as an object of its own class."""
    kind, body = split(message)
    for job in _JOBS:
        if job.kind == kind:  # type: ignore[attr-defined]
            return job.decode(body)
    raise ValueError("an unknown kind of job")


class ProcessLimits(ProtocolRecord):
    """The resources that a process may use: `harness.model.stimulus.Limits`, as they are sent.

    Every process gets all of them. `inside.limits` sets those that the kernel enforces; the driver
    measures the others.
    """

    cpu_seconds: float
    wall_seconds: float
    memory_mib: int
    output_kib: int


class LimitedStart(ProtocolRecord):
    """The facts needed to start a process under limits."""

    limits: ProcessLimits

    def encode(self) -> bytes:
        return marshal.dumps({**vars(self), "limits": vars(self.limits)}, 2)

    @classmethod
    def decode(cls, data: bytes) -> Self:
        fields = marshal.loads(data)
        fields["limits"] = ProcessLimits(**fields["limits"])
        return cls(**fields)


class ForkRequest(LimitedStart):
    """The facts that a server needs to fork a scenario's process.

    The server does not see the job.
    """

    controlled: bool  # whether the terminal sends it signals, as Ctrl-C does
    selection: Selection | None  # to be compiled before the fork, for later scenarios too


class PipedSetup(LimitedStart):
    """The facts that a process behind pipes gets besides its setup and its job."""

    secret: bytes  # written before a `Mark`
    beat: float  # seconds between two heartbeats


# Our side of a scenario's process keeps to these, most of them by far.
MAX_REPLY_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 100  # values inside each other
MAX_VALUES = 50_000  # in one frame
MAX_STDERR = 100_000  # characters
MAX_FRAMES = 64  # of a traceback
MAX_TRACED_LINES = 4000
MAX_NAME = 1000  # characters
MAX_MESSAGE = 10_000  # characters
MAX_SHOWN = 10_000  # characters of a `repr`
MAX_INT_DIGITS = 4300  # what Python reads back by default
MAX_LEFT_OPEN = 20
MAX_FIGURES = 20
MAX_PLOTS = 20  # of a figure
MAX_DRAWN = 50  # lines of a plot, and so on
MAX_LABEL = 300  # characters of a text in a figure
MAX_PICTURES = 3  # of the first figures
MAX_PICTURE = 100_000  # bytes
MAX_PIXELS = 1000  # of a picture's side
