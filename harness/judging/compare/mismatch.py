"""Defines the kinds of difference between an observation and its expectation."""

from dataclasses import dataclass, replace
from enum import StrEnum

from harness.matchers.kinds.equal_to import EqualData
from harness.matchers.kinds.values import Exactly
from harness.model.expectation import Matcher, StatedRaise, TextRules
from harness.model.observation import CourseTestOutcome, Ending, Phase, Raised, SuiteOutcome
from harness.model.values import Value, ValueKind
from harness.model.verdict import Channel
from harness.stimuli.suite import SuiteQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class _AnyMismatch:
    step: int | None = None  # index of the session step; None: the whole observation


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingMismatch(_AnyMismatch):
    """The process ended in an unexpected way."""

    expected: Ending
    actual: Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseMismatch(_AnyMismatch):
    """The exception is not the expected one (None: no exception)."""

    expected: StatedRaise | None
    actual: Raised | None
    phase: Phase = Phase.STIMULUS  # outside STIMULUS every exception is wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueMismatch(_AnyMismatch):
    """A value differs.

    On the channel RETURNS it is the returned value. LEAVES: the parameter or variable `name` after
    the call. WRITES: the content of the file `name` (a str for text). STDERR: the text on stderr.
    """

    channel: Channel
    expected: Matcher | None  # None: no value is expected
    actual: Value | None
    name: str = ""

    @property
    def pair(self) -> tuple[Value, Value] | None:
        """Return the expected and the actual value; None if one is missing or several values would
        be right.
        """
        if self.actual is None or not isinstance(self.expected, Exactly | EqualData):
            return None
        return self.expected.pair(self.actual)

    @property
    def words(self) -> str:
        """Return a description of the expected value."""
        if self.expected is None:
            return "no value"
        return self.expected.in_words()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMismatch(_AnyMismatch):
    """The printed text differs."""

    expected: Matcher
    actual: str
    turn: int | None = None  # None: the text is not that of one turn
    shown: bool = False  # as a session displays a value or step


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadsMismatch(_AnyMismatch):
    """The program read more or fewer inputs than expected."""

    expected: int
    actual: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitMismatch(_AnyMismatch):
    """The program's exit status differs; None if it has none."""

    expected: int
    actual: int | None


class Assistance(StrEnum):
    """How a program, unlike the reference, made a test pass."""

    COMPARING = "comparing"  # its object stood where the test expected a plain value
    IGNORING = "ignoring"  # it caught an exception by which the test failed


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseTestMismatch(_AnyMismatch):
    """One of the course's pytest tests failed, or passed only because the program helped it."""

    actual: CourseTestOutcome
    assistance: Assistance | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteMismatch(_AnyMismatch):
    """The student's own tests did not give the answer that the scenario asks for."""

    question: SuiteQuestion
    actual: SuiteOutcome
    statements: int = 0  # percentage of lines that the tests should run
    branches: int = 0
    breaks: str = ""  # the clause that the program breaks, if it has a fault


class FigurePart(StrEnum):
    """The part of a figure that differs.

    For a part of a plot, the member's value is the name of the plot's field.
    """

    COUNT = "count"  # about the figures as a whole
    PLOTS = "plots"  # the number of figures
    TITLE = "title"
    X_LABEL = "x_label"
    Y_LABEL = "y_label"
    LEGEND = "legend"
    LINES = "lines"
    BARS = "bars"
    POINTS = "points"


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureMismatch(_AnyMismatch):
    """A part of a figure differs from the stated one.

    Both are described in words; None means that there is none.
    """

    part: FigurePart
    expected: str | None
    actual: str | None
    figure: int | None = None  # counted from 1; None if there is only one
    plot: int | None = None  # counted from 1; None for the whole figure or its only plot


Mismatch = (
    EndingMismatch
    | RaiseMismatch
    | ValueMismatch
    | TextMismatch
    | ReadsMismatch
    | ExitMismatch
    | CourseTestMismatch
    | SuiteMismatch
    | FigureMismatch
)


def accepts_value(matcher: Matcher, value: Value, rules: TextRules) -> bool:
    """Return whether the matcher accepts a returned value.

    If the value is a string, differences that `rules` ignore in printed text are ignored here too;
    not in strings inside lists or other values.
    """
    if value.kind is ValueKind.STR and rules.ignore:
        return matcher.accepts_text(value.text, rules)
    return matcher.accepts(value)


def narrowed(mismatch: Mismatch, rules: TextRules) -> Mismatch:
    """Return the mismatch with an `all_of` or `none_of` matcher replaced by its first part that
    fails.
    """
    match mismatch:
        case TextMismatch(expected=expected, actual=text):
            failing = expected.failing_part(lambda part: part.accepts_text(text, rules))
            return replace(mismatch, expected=failing)
        case ValueMismatch(expected=Matcher() as expected, actual=Value() as value):
            if mismatch.channel is Channel.RETURNS:
                failing = expected.failing_part(lambda part: accepts_value(part, value, rules))
                return replace(mismatch, expected=failing)
            if mismatch.channel not in (Channel.WRITES, Channel.STDERR):
                failing = expected.failing_part(lambda part: part.accepts(value))
                return replace(mismatch, expected=failing)
        case RaiseMismatch(expected=StatedRaise(message=Matcher() as message) as stated):
            # An exception of a wrong type may still have the expected message.
            if mismatch.actual is not None and stated.allows(mismatch.actual.type_name):
                said = Value(ValueKind.STR, mismatch.actual.message)
                failing = message.failing_part(lambda part: part.accepts(said))
                narrowed_raise = replace(stated, message=failing)
                return replace(mismatch, expected=narrowed_raise)
    return mismatch
