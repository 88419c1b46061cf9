"""What is found out beside marks: similar programs of a class, strong scenarios, style; and what is
drawn to compare submissions with the reference beyond the scenarios, and differs."""

from __future__ import annotations

from dataclasses import dataclass

from harness.model.assignment import ProvidedVariant
from harness.model.expectation import Expected
from harness.model.plan import Place
from harness.model.result import StrengthFigures
from harness.model.stimulus import Binding, Limits, Stimulus


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRange:
    """Lines `first` to `last` of a program's file number `file`, from 0."""

    file: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """A hash of some symbols in a row of a program's syntax tree, and their lines."""

    value: int
    first_line: int
    last_line: int
    file: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedLines:
    """Lines of one program that match lines of another."""

    first: LineRange
    second: LineRange


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarPair:
    """Two submissions, how alike they are (0 to 1), and where."""

    first: str
    second: str
    score: float
    matches: tuple[MatchedLines, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Omitted:
    """A submission that was not compared, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityReport:
    """A class compared pair by pair. `compared` counts the programs; `pairs` are the most alike
    first, `groups` the programs that such pairs connect."""

    compared: int
    pairs: tuple[SimilarPair, ...]
    groups: tuple[tuple[str, ...], ...]
    omitted: tuple[Omitted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalent:
    """A change that no input tells from the reference, by the lines before and after it."""

    file: str
    function: str
    before: str
    after: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOutcome:
    """A change of the reference and the first scenarios that notice it: others may, too. `why` is
    the reason why nobody can, where there is one."""

    file: str
    function: str
    line: int
    operator: str
    before: str
    after: str
    noticed_by: tuple[str, ...]
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOutcome:
    """Two changes of one function at once, by their places among the changes, and the first
    scenarios that notice them together."""

    first: int
    second: int
    noticed_by: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionStrength:
    """The changes in one function: how many, how many of them are noticed, how many are
    equivalent to the reference."""

    function: str
    changes: int
    noticed: int
    equivalent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseStrength:
    """The scored scenarios of one clause: how many, and how many changes some of them are among
    the first to notice."""

    clause: str
    scenarios: int
    noticed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthReport:
    """Of one assignment. `needed` are scored scenarios that notice all that is noticed, `spare` the
    others, which can all be left out at once. `mistakes` are entries of equivalent.yaml that are
    noticed, or that change nothing. The digests are those of the plan that was measured."""

    assignment: str
    spec_digest: str
    reference_digest: str
    functions: tuple[FunctionStrength, ...]
    clauses: tuple[ClauseStrength, ...]
    outcomes: tuple[ChangeOutcome, ...]
    pairs: tuple[PairOutcome, ...] = ()
    needed: tuple[str, ...] = ()
    spare: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()

    @property
    def counted(self) -> int:
        """The changes that can be noticed."""
        return sum(each.changes - each.equivalent for each in self.functions)

    @property
    def noticed(self) -> int:
        return sum(each.noticed for each in self.functions)

    @property
    def figures(self) -> StrengthFigures:
        return StrengthFigures(changes=self.counted, noticed=self.noticed)

    @property
    def survivors(self) -> tuple[ChangeOutcome, ...]:
        """The changes that no scenario notices, and no reason excuses."""
        return tuple(each for each in self.outcomes if not each.noticed_by and not each.why)

    @property
    def surviving_pairs(self) -> tuple[PairOutcome, ...]:
        return tuple(each for each in self.pairs if not each.noticed_by)


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleFinding:
    """What ruff says of a line (from 1); `reason` is why the rule is looked at."""

    file: str
    line: int
    rule: str
    message: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeElement:
    """A function, a number or a block: what it is called, where it begins, how many lines it has
    (of a number: how often it is in the program)."""

    name: str
    file: str
    line: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleEvidence:
    """Of one program. `findings` of ruff, the first ones of `found`; its longest functions, what
    has no docstring, numbers that no name explains, repeated blocks. `missing` says
    what could not be looked at, and why."""

    findings: tuple[StyleFinding, ...] = ()
    found: int = 0
    longest: tuple[CodeElement, ...] = ()
    undocumented: tuple[CodeElement, ...] = ()
    numbers: tuple[CodeElement, ...] = ()
    repeated: tuple[CodeElement, ...] = ()
    missing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleOfSubmission:
    """The evidence of the files of one digest."""

    source_digest: str
    evidence: StyleEvidence


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleReport:
    """Of a run."""

    submissions: tuple[StyleOfSubmission, ...]


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
