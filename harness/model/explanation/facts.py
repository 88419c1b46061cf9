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
    """The sentences of a rule about which nothing more is asked, as the rule made them."""

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
    """An exception that code outside the functions raised as the file was loaded."""

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
    """A program used up its computing time, and nothing more is known. `clause` says which."""

    clause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedNone:
    """A function returned None instead of `wanted`, which is as it is written in Python or
    described. `where` is empty or says in which step."""

    where: str = ""
    function: str
    wanted: str


class Guess(StrEnum):
    """A question that a sentence ends with, because only the submission's text can answer it."""

    COPY = "copy"
    ROUNDED_OR_COPY = "rounded_or_copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentNotChanged:
    """An argument stayed as it was. `returned_new`: its right new value was returned."""

    sentence: str
    returned_new: bool = False
    guess: Guess | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesOfSize:
    """So many lines ran for an input of this size."""

    size: int
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowsTooFast:
    """So many lines ran for inputs of growing sizes, in the last step `times` as many as before;
    `asked` is how they may grow."""

    asked: str
    counts: tuple[LinesOfSize, ...]
    times: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class NotHandedIn:
    """A file of several is missing."""

    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotJudged:
    """Our own code failed at `place`; empty: the reader need not know where."""

    place: str


class HardCodedSign(StrEnum):
    """The sign by which a hard-coded number is recognized."""

    RIGHT_AT_DEFAULT = "right_at_default"
    DEFAULT_BOARD = "default_board"
    INDEX_ERROR = "index_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class HardCoded:
    """A number stands instead of a constant. It shows when the constant is `size`. `also_in`
    names other functions that have the number."""

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
    LATER_PERHAPS = (
        "later_perhaps"  # it ran when a limit was reached, and may end, or did in twice that
    )


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
    """The condition at line `condition` went the wrong way, after it asked the helper `asked`, if
    any. `taken`: line `prints` prints unexpected output, otherwise expected output."""

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
    """Return the lines of the submission's files that these facts speak of."""
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
