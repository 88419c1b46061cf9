"""What is drawn to compare submissions with the reference beyond the scenarios; what differs."""

from __future__ import annotations

from dataclasses import dataclass

from harness.model.assignment import ProvidedVariant
from harness.model.expectation import Expected
from harness.model.plan import Place
from harness.model.stimulus import Binding, Limits, Stimulus


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseFunction:
    """A function in a Python file of the spec folder: `boards.any_board`, defined at `place`;
    `constants` are the provided constants among its `parameters`, with their values."""

    source: str
    parameters: tuple[str, ...]
    constants: tuple[Binding, ...]
    place: Place

    @property
    def file(self) -> str:
        return f"{self.source.partition('.')[0]}.py"

    @property
    def function(self) -> str:
        return self.source.partition(".")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Lines to type: those written down, or those that a course's function gives."""

    written: tuple[str, ...] = ()
    function: CourseFunction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A state of a conversation: what was printed last ends with `text`. Lines of `often` are typed
    four times as often as those of `sometimes`; `closing` are typed, in turn and again, once a game
    is to come to its end."""

    text: str
    often: Lines
    sometimes: Lines
    closing: Lines


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzTarget:
    """What is drawn for one function under one set of constants: the names of `stimulus`, by
    `strategy`, or what is typed, by `prompts` and at most `inputs` lines before it is closed."""

    id: str
    function: str
    clauses: tuple[str, ...]
    stimulus: Stimulus
    limits: Limits
    stated: Expected
    place: Place
    strategy: CourseFunction | None = None
    prompts: tuple[Prompt, ...] = ()
    inputs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzSettings:
    """Of one assignment. A draw counts where every function of `assume` holds whose parameters it
    binds. `variants` are the provided files under the targets' constants."""

    folder: str
    targets: tuple[FuzzTarget, ...]
    assume: tuple[CourseFunction, ...]
    variants: tuple[ProvidedVariant, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzDifference:
    """An input on which a submission does not do what the reference does. `scenario` is YAML: an
    item of `scenarios:` that passes the reference and fails the submission; `drawn` is the number
    of the draw that showed it first, counted from 1."""

    target: str
    function: str
    message: str
    scenario: str
    drawn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzedSubmission:
    """A submission (by its ids: equal files are run once) and where it differs."""

    ids: tuple[str, ...]
    inputs: int
    differences: tuple[FuzzDifference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionInputs:
    """How many inputs of a function were compared, and how many of those drawn were left out: the
    reference itself raised or hit a limit there."""

    function: str
    inputs: int
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFuzzed:
    """A function of the sheet, or a program, that no input was drawn for, and why."""

    function: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzReport:
    """Of one assignment. `complete` is False where it was interrupted or ran out of time."""

    assignment: str
    seed: int
    complete: bool
    functions: tuple[FunctionInputs, ...]
    submissions: tuple[FuzzedSubmission, ...]
    not_fuzzed: tuple[NotFuzzed, ...] = ()
