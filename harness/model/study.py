"""Results beside marks: similar programs, strength of scenarios, style, further inputs."""

from collections import Counter
from collections.abc import Iterable, Sequence
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
    """A hash of some consecutive symbols of a program's syntax tree, and their lines."""

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
    """A class compared pair by pair."""

    compared: int  # programs
    # All pairs above the cut: those in groups first, most similar first.
    pairs: tuple[SimilarPair, ...]
    groups: tuple[tuple[str, ...], ...]  # the programs that such pairs connect
    omitted: tuple[Omitted, ...] = ()
    # The least similarity that is unlikely between independent programs of this class.
    cut: float = 0.0
    earlier: int = 0  # programs of earlier classes that were compared with these
    by_tokens: tuple[str, ...] = ()  # programs that cannot be parsed
    token_cut: float = 0.0  # the cut for pairs that include one of these

    def worth_a_look(self, most: int) -> tuple[int, ...]:
        """Return the indexes of the pairs to show, at most `most`.

        Groups and pairs outside groups take turns. Each program of a group comes with its closest
        match first, then the group's other pairs.
        """
        group_of = group_by_name(self.groups)
        ranked = []
        shown: set[str] = set()
        of_group: Counter[int] = Counter()
        for place, pair in enumerate(self.pairs):
            group, other = (group_of.get(name, -1) for name in (pair.first, pair.second))
            group = group if group == other else -1
            both = {pair.first, pair.second}
            is_further = group >= 0 and both <= shown
            if group >= 0:
                shown |= both
            of_group[group] += not is_further
            ranked.append((is_further, of_group[group], place))
        return tuple(sorted(place for *_, place in sorted(ranked)[:most]))


def group_by_name(groups: Iterable[Iterable[str]]) -> dict[str, int]:
    """The place of each program's group."""
    return {name: number for number, names in enumerate(groups) for name in names}


def groups_first(
    pairs: Iterable[SimilarPair], groups: Sequence[Iterable[str]]
) -> tuple[SimilarPair, ...]:
    """The pairs of each group, then the others, most similar first."""
    group_of = group_by_name(groups)

    def order(pair: SimilarPair) -> tuple[int, float, str, str]:
        group = group_of.get(pair.first, -1)
        if group != group_of.get(pair.second, -2):
            group = len(groups)
        return group, -pair.score, pair.first, pair.second

    return tuple(sorted(pairs, key=order))


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalent:
    """A change that no input can distinguish from the reference, by the lines before and after
    it."""

    file: str
    function: str
    before: str
    after: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOutcome:
    """A change of the reference and the first scenarios that notice it. Others may notice it,
    too."""

    file: str
    function: str
    line: int
    operator: str
    before: str
    after: str
    noticed_by: tuple[str, ...]
    why: str = ""  # the reason why no scenario can notice it, if there is one


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOutcome:
    """Two changes of one function made together, and the scenarios that notice them."""

    first: int  # its place among the changes
    second: int
    noticed_by: tuple[str, ...]  # the first scenarios that notice them together


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionStrength:
    """How many changes of one function the scenarios notice."""

    function: str
    changes: int
    noticed: int
    equivalent: int  # to the reference


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseStrength:
    """The scored scenarios of one clause."""

    clause: str
    scenarios: int
    noticed: int  # changes that they were among the first to notice


@dataclass(frozen=True, slots=True, kw_only=True)
class StrengthReport:
    """The strength of an assignment's scenarios."""

    assignment: str
    spec_digest: str  # of the plan that was measured
    reference_digest: str
    functions: tuple[FunctionStrength, ...]
    clauses: tuple[ClauseStrength, ...]
    outcomes: tuple[ChangeOutcome, ...]
    pairs: tuple[PairOutcome, ...] = ()
    needed: tuple[str, ...] = ()  # scored scenarios that together notice all noticed changes
    spare: tuple[str, ...] = ()  # the others, which could all be left out together
    mistakes: tuple[str, ...] = ()  # entries of equivalent.yaml that are noticed or change nothing

    @property
    def figures(self) -> StrengthFigures:
        changes = sum(function.changes - function.equivalent for function in self.functions)
        return StrengthFigures(
            changes=changes, noticed=sum(function.noticed for function in self.functions)
        )

    @property
    def survivors(self) -> tuple[ChangeOutcome, ...]:
        return tuple(
            outcome for outcome in self.outcomes if not outcome.noticed_by and not outcome.why
        )

    @property
    def surviving_pairs(self) -> tuple[PairOutcome, ...]:
        return tuple(pair for pair in self.pairs if not pair.noticed_by)


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleFinding:
    """A finding of ruff at a line (from 1); `reason` says why the rule is checked."""

    file: str
    line: int
    rule: str
    message: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeElement:
    """A function, a number or a block."""

    name: str
    file: str
    line: int  # its first line
    count: int  # the number of its lines, or how often a number occurs in the program


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleEvidence:
    """Evidence about the style of one program."""

    findings: tuple[StyleFinding, ...] = ()  # the first ones of ruff
    found: int = 0  # how many there are
    longest: tuple[CodeElement, ...] = ()  # functions
    undocumented: tuple[CodeElement, ...] = ()  # elements without a docstring
    numbers: tuple[CodeElement, ...] = ()  # that no name explains
    repeated: tuple[CodeElement, ...] = ()  # blocks
    missing: str = ""  # the parts that could not be examined, and why


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleOfSubmission:
    """The evidence for all submissions with the same files, by their digest."""

    source_digest: str
    evidence: StyleEvidence


@dataclass(frozen=True, slots=True, kw_only=True)
class StyleReport:
    """The style evidence of a run."""

    submissions: tuple[StyleOfSubmission, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseFunction:
    """A function in a Python file of the spec folder."""

    source: str  # `boards.any_board`
    parameters: tuple[str, ...]
    constants: tuple[Binding, ...]  # those among its parameters
    place: Place  # of its definition

    @property
    def file(self) -> str:
        return f"{self.source.partition('.')[0]}.py"

    @property
    def function(self) -> str:
        return self.source.partition(".")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Lines to type: written down, or returned by a course's function."""

    written: tuple[str, ...] = ()
    function: CourseFunction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A state of a conversation, and the line that is typed then."""

    text: str  # the last output ends with it
    often: Lines  # four times as often as the lines of `sometimes`
    sometimes: Lines
    closing: Lines  # typed in turn, repeatedly, to end the game


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzTarget:
    """The inputs to draw for a function under a set of constants: names, or lines for `prompts`."""

    id: str
    function: str
    clauses: tuple[str, ...]
    stimulus: Stimulus
    limits: Limits
    stated: Expected
    place: Place
    strategy: CourseFunction | None = None
    prompts: tuple[Prompt, ...] = ()
    inputs: int = 0  # the most lines to type before the game is closed


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzSettings:
    """The inputs to generate for an assignment."""

    folder: str
    targets: tuple[FuzzTarget, ...]
    assume: tuple[CourseFunction, ...]  # conditions for each draw that binds their parameters
    variants: tuple[ProvidedVariant, ...]  # the provided files under the targets' constants


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzDifference:
    """An input on which a submission differs from the reference."""

    target: str
    function: str
    message: str
    scenario: str  # YAML of a scenario that only the reference passes
    drawn: int  # the number of the draw that showed it first, from 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzedSubmission:
    """A submission (by its ids: equal files are run once) and its differences."""

    ids: tuple[str, ...]
    inputs: int
    differences: tuple[FuzzDifference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionInputs:
    """How many inputs of a function were compared."""

    function: str
    inputs: int
    left_out: int  # draws for which the reference itself raised or hit a limit


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFuzzed:
    """A function of the sheet, or a program, without drawn inputs, and why."""

    function: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzReport:
    """The result of `harness fuzz` for an assignment."""

    assignment: str
    seed: int
    complete: bool  # it was not interrupted and did not run out of time
    functions: tuple[FunctionInputs, ...]
    submissions: tuple[FuzzedSubmission, ...]
    not_fuzzed: tuple[NotFuzzed, ...] = ()
