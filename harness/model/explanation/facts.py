"""The typed facts of an explanation. Code that groups, merges, highlights or counts reads
these and never a sentence; `model.explanation.sentences` makes the sentences."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """A line of a submission's file, with its text, which may be empty."""

    number: int  # 1-based
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """An explanation that is only a sentence."""

    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedOfLine:
    """Sentences of a rule that name a line of the submission: `before`, the line, `after`."""

    before: str = ""  # empty: the sentence begins with the line
    line: int  # 1-based
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedAtLine:
    """A failure at a line of the submission: `clause (line 3: text)rest`."""

    clause: str
    line: SourceLine
    rest: str = "."


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedAsLoaded:
    """An exception that code outside the functions raised while the file was loaded."""

    raised: str  # its type, and its message in brackets
    line: SourceLine


@dataclass(frozen=True, slots=True, kw_only=True)
class NotPython:
    """Python cannot read a file, at a line."""

    reason: str
    file: str
    line: SourceLine


@dataclass(frozen=True, slots=True, kw_only=True)
class DidNotEnd:
    """A program used up its computing time, for an unknown reason. `clause` names the limit."""

    clause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedNone:
    """A function returned None instead of `wanted`, which is Python source or a description.
    `where` is empty or names the step."""

    where: str = ""
    function: str
    wanted: str


class Guess(StrEnum):
    """A question at the end of a sentence, because only the submission's text can answer it."""

    COPY = "copy"
    ROUNDED_OR_COPY = "rounded_or_copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentNotChanged:
    """An argument did not change. `returned_new`: the correct new value was returned."""

    sentence: str
    returned_new: bool = False
    guess: Guess | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesOfSize:
    """The number of lines that ran for an input of one size."""

    size: int
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowsTooFast:
    """The numbers of lines that ran for inputs of growing sizes. In the last step there were
    `times` as many as before; `asked` is the allowed growth."""

    asked: str
    counts: tuple[LinesOfSize, ...]
    times: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class NotHandedIn:
    """One of several required files is missing."""

    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotJudged:
    """The harness itself failed at `place` ("" if the reader need not know the place)."""

    place: str


class HardCodedSign(StrEnum):
    """The evidence by which a hard-coded number is recognized."""

    RIGHT_AT_DEFAULT = "right_at_default"
    DEFAULT_BOARD = "default_board"
    INDEX_ERROR = "index_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class HardCoded:
    """A number is written in the code instead of a constant.

    It shows when the constant has the value `size`. `also_in` names other functions with the
    number.
    """

    number: int
    constant: str
    size: int
    sign: HardCodedSign = HardCodedSign.RIGHT_AT_DEFAULT
    also_in: tuple[str, ...] = ()


Facts = (
    Stated
    | StatedOfLine
    | RaisedAtLine
    | RaisedAsLoaded
    | NotPython
    | DidNotEnd
    | GrowsTooFast
    | ReturnedNone
    | ArgumentNotChanged
    | NotHandedIn
    | NotJudged
    | HardCoded
)


class LoopEnd(StrEnum):
    """Known facts about how a loop ends."""

    NEVER = "never"
    NEVER_OR_LATE = "never_or_late"
    # It was running at a limit, and may end, or ended within twice the limit.
    LATER_PERHAPS = "later_perhaps"


@dataclass(frozen=True, slots=True, kw_only=True)
class InLoop:
    """The loop that ran when the limit was reached; `function` is empty outside all functions."""

    line: int
    function: str
    ends: LoopEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class InRecursion:
    """The function that called itself when the limit was reached; empty if unknown."""

    line: int
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoReturn:
    """A function returned None at a place without `return`."""


# Facts that the submission's text, or another run, adds to a rule's own.
Reason = InLoop | InRecursion | NoReturn


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongBranch:
    """The condition at line `condition` went the wrong way; it may have called the helper `asked`.
    If `taken`, line `prints` printed unexpected output; otherwise it missed expected output."""

    condition: int
    prints: int
    taken: bool
    asked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherConstant:
    """A constant of the submission has another value than on the assignment sheet."""

    name: str
    value: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultyHelper:
    """The helper whose lines from `first` to `last` are the most suspect."""

    function: str
    first: int
    last: int


# The likely place of the fault, from traced runs.
Lead = WrongBranch | OtherConstant | FaultyHelper


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """What went wrong after the first difference on the screen, by another rule."""

    rule: str
    facts: Facts


def lines_in(part: Facts | Reason | Lead | None) -> tuple[int, ...]:
    """Return the lines of the submission's files that these facts mention."""
    match part:
        case RaisedAtLine(line=line) | RaisedAsLoaded(line=line) | NotPython(line=line):
            return (line.number,)
        case InLoop(line=number) | InRecursion(line=number) | OtherConstant(line=number):
            return (number,)
        case StatedOfLine(line=number):
            return (number,)
        case WrongBranch(condition=condition, prints=prints):
            return (condition, prints)
        case FaultyHelper(first=first, last=last):
            return (first, last)
        case _:
            return ()
