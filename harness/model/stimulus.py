"""The inputs to a submission. A stimulus contains no expected values, except in case names that its
code never uses. Without these names it may enter any process."""

from __future__ import annotations

import ast
import functools
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from harness.common.escaping import visible
from harness.common.serial import open_union
from harness.model.policy import SourceFile

if TYPE_CHECKING:
    from harness.assignment.scenarios.reader import ScenarioReader

DROPPED = "_"  # a session's name for an unused value, which is not compared


class Key(StrEnum):
    """A key a person presses instead of typing a line."""

    CTRL_C = "ctrl-c"
    CTRL_D = "ctrl-d"


KEY_NAMES = {Key.CTRL_C: "Ctrl-C", Key.CTRL_D: "Ctrl-D"}
_ECHOES = {Key.CTRL_C: "^C", Key.CTRL_D: "^D"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """One input: a line of text (Enter follows it), or a key."""

    text: str = ""
    key: Key | None = None

    def echo(self) -> str:
        """Return the input as a transcript shows it, without the line end."""
        if self.key is None:
            return self.text
        return _ECHOES[self.key]

    def named(self) -> str:
        """Return the name of an input outside a transcript, never empty: `a1`, `⏎`, `Ctrl-C`."""
        if self.key is not None:
            return KEY_NAMES[self.key]
        return visible(self.text) or "⏎"


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A name and the source of a Python literal: an overridden constant, or a name of a draw."""

    name: str
    literal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """A fixed time that a program sees instead of the real one."""

    seconds: int  # since 1970
    offset: int  # offset from UTC in seconds; positive is east

    @property
    def time(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, timezone(timedelta(seconds=self.offset)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """The course's generator that answers a program's output."""

    file: str
    function: str
    source: str  # the file's text
    constants: tuple[Binding, ...] = ()
    most: int = 100  # answers that it may give


@dataclass(frozen=True, slots=True, kw_only=True)
class StimulusParts:
    """A stimulus as read: its action, typed lines, a session's output, and the names that
    `leaves:` may state."""

    action: Action
    inputs: tuple[Typed, ...]
    shown: tuple[str, ...] | None = None
    leaves: frozenset[str] | None = None


class Form(StrEnum):
    """The parts of an action. They decide the observed facts and their comparison."""

    EXPRESSION = "expression"  # a value or an exception
    STEPS = "steps"  # the outcome of each, and the variables afterwards
    PROGRAM = "program"  # its exit status
    TEST = "test"  # the outcome of a course's test
    SUITE = "suite"  # the outcome of submitted tests


@open_union("harness.stimuli", "action_classes")
class Action(ABC):
    """The action of a stimulus. Each kind is a frozen dataclass of `harness.stimuli`, whose
    docstring describes its key in the schema.

    A kind has a field for each property that it uses, with `= field()` if it has no default:
    otherwise the property would be taken as the default. `form` says which of them it consists of,
    and therefore the facts to observe and compare.
    """

    __slots__ = ()

    key: ClassVar[str]  # of a scenario
    noun: ClassVar[str] = ""  # the noun in messages, after the article "a"; empty: the key
    form: ClassVar[Form] = Form.EXPRESSION
    takes: ClassVar[tuple[str, ...]]  # those of the optional keys that it supports
    elsewhere: ClassVar[str] = ""  # where to state an unsupported key instead, for a hint
    order: ClassVar[int]  # in lists
    by_name: ClassVar[bool] = True  # it can use the names of a case; otherwise they are only typed
    # The subject of a sentence, if it calls no function of the submission.
    subject: ClassVar[str] = "it"
    is_stated: ClassVar[bool] = True  # it is stated in a scenario; otherwise in assignment.yaml

    @classmethod
    @abstractmethod
    def read(
        cls, reader: ScenarioReader, loc: tuple[Any, ...], inputs: tuple[Typed, ...]
    ) -> StimulusParts:
        """Read the action from a scenario.

        `loc` is the location of its key, `inputs` the lines in `input:`. If it is invalid, note the
        error and raise Refused.
        """

    @abstractmethod
    def yaml_keys(self) -> Mapping[str, str | Sequence[str]]:
        """Return the keys of a scenario that state it."""

    def display(self, bound: Sequence[str] = ()) -> str:
        """Return the call or command for a page, with the assignments that bind a case's names."""
        return "\n".join((*bound, *self.lines))

    @property
    def in_words(self) -> str:
        """Return the call or command for a sentence."""
        return self.expression or self.subject

    @property
    def expression(self) -> str:
        """Return a Python expression whose value is observed; for a plain call of the submission's
        function also the positional arguments, before and after.
        """
        return ""

    @property
    def equals(self) -> str:
        """Return an expression: data is observed as a value, anything else by the answer
        of `==`.
        """
        return ""

    @property
    def steps(self) -> tuple[str, ...]:
        """Return statements in one namespace; an error in one does not stop the next."""
        return ()

    @property
    def program(self) -> str:
        """Return the name of a file that is run: as `__main__`, unless the kind runs it in its own
        way.
        """
        return ""

    @property
    def argv(self) -> tuple[str, ...]:
        return ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the Python texts that it evaluates."""
        if self.expression:
            return (self.expression,)
        return self.steps

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the texts to paste into an interpreter to do the same."""
        return self.texts


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """A module of the submission by its file's name, and the course's file that replaces it."""

    module: str
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Substitution:
    """A top-level name of the submission's main module that the course's own replaces: a function,
    answered from its own process, or a constant."""

    name: str
    provided: str = ""  # the module of a constant


@dataclass(frozen=True, slots=True, kw_only=True)
class Stimulus:
    """Everything needed to run a scenario once."""

    action: Action
    given: str = ""  # source run first in the stimulus's namespace
    bindings: tuple[Binding, ...] = ()  # the names of a draw
    inputs: tuple[Typed, ...] = ()
    at_load: tuple[Typed, ...] = ()  # typed while the submission loads, if it asks for input
    constants: tuple[Binding, ...] = ()  # the overrides of provided constants
    # Paths of extra files that are placed beside the submission, without their folders.
    provide: tuple[str, ...] = ()
    seed: int | None = None  # seed of the module random; None: not stated, 0 is used
    clock: Clock | None = None  # the time that it sees; None: the real one
    stand_ins: tuple[StandIn, ...] = ()  # instead of uploaded files with their modules' names
    folder: bool = False  # it has a working folder of its own, which begins with the files
    files: tuple[SourceFile, ...] = ()
    stdin: str | None = None  # the piped input, instead of a terminal
    environment: tuple[Binding, ...] = ()  # names and texts
    stderr_apart: bool = False  # text on stderr is not on the screen
    replies: Replies | None = None  # they type instead of the inputs
    substitutions: tuple[Substitution, ...] = ()
    # Digests of the allowed calls of substituted functions; None: any call.
    answered: tuple[str, ...] | None = None
    keeps_figures: bool = False  # observe the figures that it draws
    marks_prompts: bool = False  # observe the start of each prompt of `input`
    finds_loop: bool = False  # observe only the place of the loop in an endless program
    counts_lines: bool = False  # also observe how many lines of the program run
    traces_lines: bool = False  # observe only which lines of the program run

    @property
    def provided_names(self) -> tuple[str, ...]:
        """Return the names under which the extra files lie beside the submission."""
        return tuple(path.rsplit("/", 1)[-1] for path in self.provide)

    def source_texts(self) -> tuple[str, ...]:
        """Return the Python texts that it runs, without the literals of a draw; empty for a
        program."""
        if self.given:
            return (self.given, *self.action.texts)
        return self.action.texts

    def used_bindings(self) -> tuple[Binding, ...]:
        """Return the names of a draw that its code uses. The others may contain the answer."""
        if not self.action.by_name:
            return ()
        source = " ".join((*self.source_texts(), self.action.equals))
        words = set(re.findall(r"\w+", source))
        return tuple(binding for binding in self.bindings if binding.name in words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one scenario may use. `wall_seconds` counts time asleep, not time waiting for a CPU."""

    cpu_seconds: float = 1.0
    wall_seconds: float = 10.0
    memory_mib: int = 256
    output_kib: int = 256

    def in_words(self) -> tuple[str, ...]:
        """Return each limit in words, for the page of a class."""
        return (
            f"{self.cpu_seconds:g} s of CPU time",
            f"{self.wall_seconds:g} s in total",
            f"{self.memory_mib} MiB of memory",
            f"{self.output_kib} KiB of output",
        )

    def at_least(self, least: Limits) -> Limits:
        """Return limits none of which is lower than in `least`."""
        return Limits(
            cpu_seconds=max(self.cpu_seconds, least.cpu_seconds),
            wall_seconds=max(self.wall_seconds, least.wall_seconds),
            memory_mib=max(self.memory_mib, least.memory_mib),
            output_kib=max(self.output_kib, least.output_kib),
        )

    def for_one_process(self, other: Limits) -> Limits:
        """Return the limits of a process that runs scenarios with these limits and with `other`.

        Each scenario may take its time, so the longer one counts. Memory is that of the whole
        process, so the lower limit holds. The output of each scenario is counted apart.
        """
        return Limits(
            cpu_seconds=max(self.cpu_seconds, other.cpu_seconds),
            wall_seconds=max(self.wall_seconds, other.wall_seconds),
            memory_mib=min(self.memory_mib, other.memory_mib),
            output_kib=max(self.output_kib, other.output_kib),
        )


def statements(source: str | bytes) -> list[ast.stmt]:
    """Return the statements of untrusted text, without showing its warnings; empty if it is not
    Python."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


@functools.cache
def called_function(source: str) -> str | None:
    """Return the function that the last statement, `name(…)` or `x = name(…)`, calls; None for any
    other statement."""
    match statements(source.strip())[-1:]:
        case [ast.Expr(value=ast.Call(func=ast.Name(id=name)))]:
            return name
        case [ast.Assign(value=ast.Call(func=ast.Name(id=name)))]:
            return name
    return None
