"""The result of comparing an observation with its expectation, the reason, and the causes: each is
a group of failing scenarios that one change would most likely fix."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from harness.model.explanation.facts import (
    Facts,
    HardCoded,
    Later,
    Lead,
    Reason,
    lines_in,
)
from harness.model.explanation.sentences import statement, statement_of_line, text_of
from harness.model.notebook import CellLine, Notebook
from harness.model.observation import Turn
from harness.model.policy import LuckyCall

NOT_HANDED_IN = "not_handed_in"  # the rule for a missing file, if there are others
# The rule for failures that another run does not show.
DIFFERS_FROM_RUN_TO_RUN = "differs_from_run_to_run"
OUT_OF_BUDGET = "out_of_budget"  # the rule for scenarios not run: all time was used up


class VerdictKind(StrEnum):
    """The outcome of a scenario. Only HARNESS_ERROR is about the harness; it never costs a mark."""

    PASSED = "passed"
    FAILED = "failed"
    MISSING = "missing"
    TIMEOUT = "timeout"
    CPU_LIMIT = "cpu_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    CRASHED = "crashed"
    ENDED_EARLY = "ended_early"
    UNREADABLE = "unreadable"
    TAMPERED = "tampered"
    STOPPED_EARLY = "stopped_early"
    NOT_RUN = "not_run"  # a needed scenario failed, or all time was used up
    HARNESS_ERROR = "harness_error"


# For these a person must look at the submission.
TO_REVIEW = frozenset({VerdictKind.TAMPERED, VerdictKind.STOPPED_EARLY})


class StandInOutcome(StrEnum):
    """The result of the second run, with the course's module instead of the submission's."""

    PASSED = "passed"
    FAILED = "failed"
    INAPPLICABLE = "inapplicable"  # the module cannot replace this submission's module
    BROKEN = "broken"  # the module itself failed: the course's fault


class Channel(StrEnum):
    """A part of an observation that is compared separately."""

    ENDING = "ending"
    RAISES = "raises"
    RETURNS = "returns"
    PRINTS = "prints"
    LEAVES = "leaves"
    READS = "reads"
    EXIT = "exit"
    WRITES = "writes"
    STDERR = "stderr"
    TEST = "test"  # the outcome of a course's test
    FIGURES = "figures"
    SHOWS = "shows"  # a session's display of a value; without a reference, of a whole step


# Channels of values, whose differences are marked by item and not by character.
OF_VALUES = frozenset({Channel.RETURNS, Channel.LEAVES})


class LineEnd(StrEnum):
    """The sign shown after a line."""

    NOTHING = ""
    SIGN = "¬"
    LACKING = "(no line end)"


class Absence(StrEnum):
    """The words shown instead of a line."""

    NONE = ""
    MISSING = "(missing)"
    NOTHING_PRINTED = "(nothing printed)"
    NOTHING_SHOWN = "(nothing)"
    EMPTY_FILE = "(empty)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Characters of a text."""

    start: int
    stop: int  # behind the last


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One side of a row: a line, or the part of a long line around its first difference."""

    text: str = ""
    note: Absence = Absence.NONE  # if this side has no such line
    # Index of the first character that differs; `len(text)`: the text ends too soon.
    mark: int | None = None
    marks: tuple[Span, ...] = ()  # the items of a value that differ
    cut_before: bool = False  # text is left out there
    cut_after: bool = False
    signs: bool = False  # blanks are shown as signs
    # On a cell with a note: how the text's last line (the cell before) ended.
    end: LineEnd = LineEnd.NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """Two lines opposite each other; `other` is the actual line if it differs."""

    expected: Cell
    other: Cell | None = None
    forgiven: Cell | None = None  # the actual line, if the scenario ignores its differences

    @property
    def actual(self) -> Cell:
        return self.other or self.forgiven or self.expected

    @property
    def same(self) -> bool:
        return self.other is None


@dataclass(frozen=True, slots=True, kw_only=True)
class GridCell:
    """A cell of a board, and whether it differs from the other side's."""

    text: str
    differs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A board, as rows of cells."""

    rows: tuple[tuple[GridCell, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPair:
    """An expected board and an actual one, with their first difference in words."""

    expected: Grid
    actual: Grid
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardArgument:
    """A board that a call was given, by its place among the positional arguments."""

    position: int
    board: Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The expected and the actual side of one channel, around their first difference.

    It is made once, from two values or texts. Outputs fold it."""

    channel: Channel
    subject: str  # "return value", "board afterwards", "step 3: …", "turn 2"
    rows: tuple[ComparedRow, ...]
    in_words: bool = False  # the one row is not aligned: it describes the expectation
    left_out_before: int = 0  # lines above the rows, equal on both sides
    left_out_after: int = 0  # rows below
    more_expected: int = 0  # lines of each side below the rows
    more_actual: int = 0
    grids: GridPair | None = None  # the same where both sides are boards

    @property
    def differs(self) -> bool:
        """Return whether any row differs; described expectations are not aligned and never
        differ."""
        return not self.in_words and any(not row.same for row in self.rows)

    @property
    def stacked(self) -> bool:
        """Whether one side is shown below the other: each is one line."""
        return len(self.rows) == 1 and not self.left_out_before and not self.left_out_after

    @property
    def is_silent(self) -> bool:
        return all(row.actual.note for row in self.rows)

    @property
    def expects_nothing(self) -> bool:
        return bool(self.rows) and all(row.expected.note for row in self.rows)

    @property
    def of_values(self) -> bool:
        return self.channel in OF_VALUES


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Which rule explains a failure, and the facts from which its sentences are made. Two are equal
    if they state the same facts."""

    rule: str
    facts: Facts
    later: Later | None = None  # what went wrong after that
    reason: Reason | None = None  # additional fact from the submission's text or another run
    lead: Lead | None = None  # the place of the fault
    remarks: tuple[str, ...] = ()  # further sentences
    hint: str = ""  # the lecturer's
    places: tuple[CellLine, ...] = ()  # of its lines, if they came in a notebook

    @property
    def message(self) -> str:
        """Return all facts as sentences, which may contain untrusted text.

        Only display them; code must use the facts.
        """
        return text_of(self)

    @property
    def hard_coded(self) -> HardCoded | None:
        """Return the hard-coded number, if that is the mistake."""
        return self.facts if isinstance(self.facts, HardCoded) else None

    def in_notebook(self, notebook: Notebook) -> Explanation:
        """Return the explanation with the notebook cells of the lines that it mentions."""
        parts: list[Facts | Reason | Lead | None] = [self.facts, self.reason, self.lead]
        if self.later is not None:
            parts.append(self.later.facts)
        lines: list[int] = []
        for part in parts:
            lines += lines_in(part)
        found = (notebook.cell_line(line) for line in dict.fromkeys(lines))
        return replace(self, places=tuple(place for place in found if place is not None))


def stated(rule: str, sentence: str) -> Explanation:
    """Return an explanation by a rule that has only a sentence."""
    return Explanation(rule=rule, facts=statement(sentence))


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A terminal scenario up to the first turn that differs from the expected one."""

    shared: tuple[Turn, ...]  # they agree
    expected: Turn | None  # each side's next; None: it has none
    actual: Turn | None
    example: bool = False  # the expected turn's text is only an example
    compared: Comparison | None = None  # the next turns; None for a single side and for an example

    @property
    def parts(self) -> bool:
        """Return whether the two sides differ at a turn."""
        turns = [turn for turn in (self.expected, self.actual) if turn is not None]
        return self.compared is not None or any(turn != Turn(printed="") for turn in turns)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTaken:
    """How long a scenario took that ran into a limit on time, in seconds of the usual machine, as
    bounds that are the same in every run."""

    allowed: float  # it took longer
    waiting: bool = False  # asleep, else computing
    less_than: float | None = None  # the time that it took; None: unknown, because it was ended
    reference_less_than: float | None = None  # that ours computed; None: not known


@dataclass(frozen=True, slots=True, kw_only=True)
class PicturePair:
    """A small picture of a figure on each side, a PNG in base64; empty: there is none."""

    expected: str = ""
    actual: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedCell:
    """The line at which a cell of a notebook raised an exception; the other cells ran."""

    file: str
    line: int  # of the program
    type_name: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One scenario's outcome. After a second run with a stand-in one that passed has an explanation
    too: which module is to blame."""

    kind: VerdictKind
    explanation: Explanation | None = None
    differences: tuple[Comparison, ...] = ()
    conversation: Conversation | None = None
    pictures: tuple[PicturePair, ...] = ()  # of the first figures, if figures differ
    boards: tuple[BoardArgument, ...] = ()  # constants that are not literals of the scenario
    draw: int | None = None  # the index of a sample's smallest failing draw
    draws_failed: int = 0
    draws_run: int = 1
    stand_in: StandInOutcome | None = None  # None without a second run
    # It behaved differently when run again: the calls that may be the reason.
    differs_by: tuple[LuckyCall, ...] = ()
    on_wall_time: bool = False  # it slept too long, which may be due to the machine
    time: TimeTaken | None = None  # of one that ran into its full limit
    stopped_cell: StoppedCell | None = None  # the first, also of one that passed

    @property
    def passed(self) -> bool:
        return self.kind is VerdictKind.PASSED

    @property
    def undecided(self) -> bool:
        """Whether its outcome is unknown, because the submission had used up its time."""
        rule = self.explanation.rule if self.explanation else ""
        return self.kind is VerdictKind.NOT_RUN and rule == OUT_OF_BUDGET

    @property
    def message(self) -> str:
        return self.explanation.message if self.explanation else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """An explanation rule by which a cause shows itself, and how many scenarios it explains."""

    rule: str
    scenarios: int
    line: int | None = None  # of the student's file, of an exception or an endless loop


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePlace:
    """Lines of a student's file, 1-based."""

    file: str
    first: int
    last: int
    text: tuple[str, ...] = ()  # the first of them, without ends, cut if they are very long


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """Lines of the student's file that run mostly in failing scenarios."""

    function: str  # empty: code outside all
    place: CodePlace
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One thing to fix: in the function (or constant) to blame if `blamed`, otherwise in the one
    whose scenarios fail."""

    function: str  # empty: the whole file is meant
    explanation: Explanation  # facts about the example, which may be hidden from a student
    scenarios: tuple[str, ...] = ()  # ids in the plan's order
    example: str = ""  # the clearest scenario: visible before hidden, then the shortest input
    blamed: bool = False
    place: CodePlace | None = None  # of the function
    line: int | None = None  # the very line, if it is known
    raised_in: CodePlace | None = None  # place of the example's exception outside `place`
    raised_at: int | None = None  # its line there
    suspects: tuple[Suspect, ...] = ()  # to be shown to readers of the example
    symptoms: tuple[Symptom, ...] = ()
    clauses: tuple[str, ...] = ()
    hint: str = ""
    together_with: tuple[str, ...] = ()  # must also be right for some scenarios to pass
    marks_at_stake: Fraction = Fraction(0)  # exact: the rise of the mark if they passed

    @property
    def rule(self) -> str:
        return self.explanation.rule

    @property
    def message(self) -> str:
        return self.explanation.message

    def with_lead(self, lead: Lead) -> Cause:
        """Return the cause with where its fault is."""
        return replace(self, explanation=replace(self.explanation, lead=lead))

    def with_reason(self, reason: Reason) -> Cause:
        """Return the cause with the known reason for its facts."""
        return replace(self, explanation=replace(self.explanation, reason=reason))

    def stating_of_line(self, before: str, line: int, after: str) -> Cause:
        """Return the cause with its explanation replaced by a sentence about a line."""
        facts = statement_of_line(before, line, after)
        return replace(self, explanation=Explanation(rule=self.rule, facts=facts))

    def stating(self, sentence: str) -> Cause:
        """Return the cause with its explanation replaced by this sentence."""
        return replace(self, explanation=stated(self.rule, sentence))


Blame = tuple[str, ...]  # the names to blame for one scenario; several must all be right


def rule_words() -> Mapping[str, str]:
    """Return the description of every rule by name, in alphabetical order."""
    # Imported late, because reading expected causes and the package of rules need each other.
    words: Mapping[str, str] = importlib.import_module("harness.judging.explain.rules").rule_words()
    return words


def rule_in_words(rule: str) -> str:
    """Return a function's mistake, as the end of a sentence; the rule's name if it has no
    words."""
    return rule_words().get(rule) or rule.replace("_", " ") or "fails"
