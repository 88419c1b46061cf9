"""What a program did when a scenario ran, and how it was confined.

These are facts; nothing is judged here.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from harness.model.figures import Figure
from harness.model.stimulus import Typed
from harness.model.values import Value


class Ending(StrEnum):
    """How the process of a scenario ended."""

    ANSWERED = "answered"  # the stimulus ended by itself: it returned, raised, or the program ended
    ASKED_FOR_MORE = "asked_for_more"  # asked for more input than the scenario has
    ENDED_EARLY = "ended_early"  # the process ended before answering (os._exit)
    MISSING = "missing"  # a function the stimulus needs is not defined
    TIMEOUT = "timeout"
    CPU_LIMIT = "cpu_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    CRASHED = "crashed"  # by a signal
    TAMPERED = "tampered"  # broke the one-reply protocol
    STOPPED_EARLY = "stopped_early"  # ended under a shortened limit, without a run at the full one
    STAND_IN_INAPPLICABLE = "stand_in_inapplicable"  # the course's module cannot be put here
    STAND_IN_FAILED = "stand_in_failed"  # the course's module failed: the course's fault
    NOT_RUN = "not_run"  # not run, because the submission had used up its time
    HARNESS_ERROR = "harness_error"  # ours: never a fact about the submission


class Phase(StrEnum):
    """The phase in which the process ended or raised an exception.

    Scenarios only describe the phase `STIMULUS`.
    """

    LOADING = "loading"  # the submission's own body (what runs at import)
    GIVEN = "given"  # the setup before the call, or before the session's first step
    ARGUMENTS = "arguments"  # the call's arguments, or a method's object
    STIMULUS = "stimulus"  # the call itself, a session's steps, the program that is run
    RESULT = "result"  # reading or comparing the call's result


class Filled(StrEnum):
    """The output with which a program reached its limit."""

    SCREEN = "screen"  # by printing
    FOLDER = "folder"  # by writing files


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputLimit:
    """The limit on output that a program reached. It may have been about to end."""

    filled: Filled
    kib: int  # the size limit; a folder also has a limit on the number of files


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A line of the traceback that is in a student's file, never in the harness's code."""

    file: str
    line: int
    function: str
    source: str


class NameHintKind(StrEnum):
    """Facts about an exception from the program's own names."""

    NEAREST = "nearest"  # `owner` has a name `near` that is nearly this one
    OUTSIDE = "outside"  # a function of this name is outside the class `owner`
    NO_SELF = "no_self"  # the method's first parameter is `near`
    # An attribute of `owner`; `near` is the method's name for its object, like self.
    SELF_DOT = "self_dot"


@dataclass(frozen=True, slots=True, kw_only=True)
class NameHint:
    """Details of the name that an exception is about."""

    kind: NameHintKind
    name: str
    owner: str
    near: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """An exception that reached the stimulus."""

    type_name: str
    message: str
    bases: tuple[str, ...] = ()  # the names of its base classes, nearest first
    # Only frames of the student's code, outermost first; none: the stimulus itself raised.
    frames: tuple[Frame, ...] = ()
    names: NameHint | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The output of a program until it reads, and the line that is then typed."""

    printed: str
    typed: Typed | None = None  # None: nothing more was asked for
    # The end of the printed text that is known to be the prompt of an `input` call.
    prompt: str = ""

    def without_prompt(self) -> Turn:
        """Return the turn without the text of the `input` call that ends it."""
        if not self.prompt:
            return self
        return replace(self, printed=self.printed.removesuffix(self.prompt), prompt="")


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOutcome:
    """One session step: the turns it took on the terminal, then its value."""

    turns: tuple[Turn, ...] = ()
    value: Value | None = None  # None of a statement
    raised: Raised | None = None
    shown: str = ""  # the value's `repr`, without addresses, if it holds objects

    @property
    def printed(self) -> str:
        return "".join(turn.printed for turn in self.turns)


class CourseTestResult(StrEnum):
    """The result of a course's test."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    NOT_FOUND = "not_found"  # with this program, its file has no such test
    NOT_ENDED = "not_ended"  # the program ended, or was ended, first


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseTestOutcome:
    """The outcome of a course's test, and its calls. The program's own exception is in the
    observation."""

    result: CourseTestResult
    message: str = ""  # the exception's message, with the values that pytest shows
    type_name: str = ""
    line: int = 0  # of the test file; 0: none
    source: str = ""  # that line
    calls: tuple[str, ...] = ()  # calls of the program, each with its outcome
    stopped_by: Ending | None = None  # the limit that the test itself reached, not the program
    # If the test passed: operators and methods of the program's objects, such as `__lt__` and
    # `count`, that plain values have too and that were given values of the test;
    given_values: tuple[str, ...] = ()
    # and the message of an assertion that failed while the program called the test or had entered
    # a block of it.
    ignored: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteTest:
    """A student's test, and its result."""

    name: str
    outcome: CourseTestOutcome
    # If it fails on the reference: clauses such that it passes on a program that breaks them.
    breaks: tuple[str, ...] = ()

    @property
    def has_passed(self) -> bool:
        return self.outcome.result is CourseTestResult.PASSED

    @property
    def has_failed(self) -> bool:
        """Return whether the test failed or did not finish; False for a skipped test."""
        return self.outcome.result in (CourseTestResult.FAILED, CourseTestResult.NOT_ENDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCoverage:
    """How much of a program the tests ran."""

    statements: int
    statements_run: int
    branches: int
    branches_taken: int
    untouched: tuple[str, ...] = ()  # functions of which nothing ran

    @property
    def percent(self) -> int:
        """Return the share of the statements, rounded down."""
        return 100 * self.statements_run // max(self.statements, 1)

    @property
    def percent_of_branches(self) -> int:
        """Return the percentage of the branches, rounded down; 100 for a program without
        branches."""
        return 100 * self.branches_taken // self.branches if self.branches else 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteOutcome:
    """The results of a student's tests against one program."""

    tests: tuple[SuiteTest, ...] = ()  # for a program with a fault: the tests that notice it
    unsteady: tuple[str, ...] = ()  # tests that came out differently against the same program
    not_loaded: str = ""  # why no test of a file could be run
    notices_a_fault: bool = False  # of the course's, whichever
    # Among tests that pass on the reference: those that notice no fault, and groups that notice the
    # same faults.
    useless: tuple[str, ...] = ()
    alike: tuple[tuple[str, ...], ...] = ()
    coverage: SuiteCoverage | None = None  # coverage of the reference, if requested

    @property
    def failed(self) -> tuple[SuiteTest, ...]:
        return tuple(test for test in self.tests if test.has_failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedValue:
    """A variable or parameter, and its value."""

    name: str
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """The outcome of one stimulus. If it is truncated, missing parts have no meaning."""

    ending: Ending
    phase: Phase = Phase.STIMULUS
    value: Value | None = None
    raised: Raised | None = None
    # The first exception that ended a cell of a notebook; the program went on with the next cell.
    cell_error: Raised | None = None
    turns: tuple[Turn, ...] = ()  # the whole screen after loading (for a session: all steps)
    steps: tuple[StepOutcome, ...] = ()
    arguments: tuple[Value, ...] = ()  # the positional arguments of a plain call, after it
    arguments_before: tuple[Value, ...] = ()
    variables: tuple[NamedValue, ...] = ()  # a session's names afterwards
    loading_printed: str = ""
    exit_status: int | None = None
    stderr: str | None = None  # the text on stderr, if it is not part of the screen
    # Details of the ending: the name of a function or signal, the broken part, or the limit.
    detail: str = ""
    nearest: str = ""  # the program's name that is closest to a missing function's
    files: tuple[NamedValue, ...] = ()  # what lies in its own folder afterwards
    left_open: tuple[str, ...] = ()  # which of them it did not close
    lines: int | None = None  # the number of lines that ran, if they were counted
    figures: tuple[Figure, ...] = ()  # in the order in which they were shown, if they are kept

    full_digest: str | None = None  # digest of the whole observation, if it was too large to keep
    output_limit: OutputLimit | None = None  # the limit that it reached, if that ended it
    test: CourseTestOutcome | None = None  # of the course's, if one ran
    suite: SuiteOutcome | None = None  # results of submitted tests, if they ran
    calls_itself: bool = False  # in a search for a loop: a function that calls itself kept it busy
    # It ran into its CPU limit, but ends by itself within twice the limit.
    ends_in_double: bool = False
    cpu_seconds: float = field(default=0.0, compare=False)  # only for the scheduler

    def without_varying(self) -> Observation:
        """Return the observation without facts, such as times, that differ from run to run."""
        return replace(self, **_usual_varying())

    def with_varying_of(self, other: Observation) -> Observation:
        """Return the observation with the times and similar facts of another run."""
        return replace(self, **{name: getattr(other, name) for name in _usual_varying()})

    @property
    def is_truncated(self) -> bool:
        """Return whether only the ending and the exception were kept."""
        return self.full_digest is not None

    @property
    def printed(self) -> str:
        """Return all text on the screen, without typed text."""
        return "".join(turn.printed for turn in self.turns)

    def without_prompts(self) -> Observation:
        """Return the observation without the texts of `input` calls."""
        steps = tuple(replace(step, turns=_without_prompts(step.turns)) for step in self.steps)
        return replace(self, turns=_without_prompts(self.turns), steps=steps)

    @property
    def reads(self) -> int:
        return sum(turn.typed is not None for turn in self.turns)

    def transcript(self) -> str:
        """Return the screen as a person saw it: typed text after its prompt, each with its
        Enter.
        """
        return transcript(self.turns)


@functools.cache
def _usual_varying() -> dict[str, Any]:
    """Return the facts that differ from run to run and are never judged, with their defaults."""
    return {fact.name: fact.default for fact in fields(Observation) if not fact.compare}


def _without_prompts(turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    return tuple(turn.without_prompt() for turn in turns)


def transcript(turns: tuple[Turn, ...]) -> str:
    """Return the turns as a person would have seen them on the screen, with typed text and
    Enter.
    """
    shown: list[str] = []
    for turn in turns:
        shown.append(turn.printed)
        if turn.typed is not None:
            shown.append(turn.typed.echo() + "\n")
    return "".join(shown)


class Isolation(StrEnum):
    """Whether scenarios shared a process without shared state, or each had its own process."""

    SHARED = "shared"
    ALONE = "alone"


class Tier(StrEnum):
    """The levels of a submission's confinement, best first."""

    STRONG = "strong"
    STANDARD = "standard"
    PORTABLE = "portable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One forbidden act that was tried under the tier, and whether it was prevented."""

    name: str
    prevented: bool
    detail: str = ""
