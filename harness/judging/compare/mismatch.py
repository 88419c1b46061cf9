"""The differences between an observation and its expectation: a class for each way to differ."""

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
    step: int | None = None  # of a session; None: of the observation as a whole


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingMismatch(_AnyMismatch):
    """The process ended in another way."""

    expected: Ending
    actual: Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseMismatch(_AnyMismatch):
    """An exception differs from the expected one (None: no exception)."""

    expected: StatedRaise | None
    actual: Raised | None
    phase: Phase = Phase.STIMULUS  # when it was raised; the expected one is wrong in any other


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueMismatch(_AnyMismatch):
    """A value differs. It is the returned value, or depends on the channel: the parameter or
    variable `name` (LEAVES), the content of the file `name` (WRITES; a str for text), stderr
    (STDERR)."""

    channel: Channel
    expected: Matcher | None  # None: there should be no value at all
    actual: Value | None
    name: str = ""

    @property
    def pair(self) -> tuple[Value, Value] | None:
        """Return the expected value, if there is only one, and the actual one; None without
        either.
        """
        if self.actual is None or not isinstance(self.expected, Exactly | EqualData):
            return None
        return self.expected.pair(self.actual)

    @property
    def words(self) -> str:
        """Return the expected value in words."""
        if self.expected is None:
            return "no value"
        return self.expected.in_words()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMismatch(_AnyMismatch):
    """Printed text differs."""

    expected: Matcher
    actual: str
    turn: int | None = None  # None: the text is not that of a single turn
    shown: bool = False  # text that a session shows: a value, or a whole step without a reference


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadsMismatch(_AnyMismatch):
    """Another number of inputs was taken."""

    expected: int
    actual: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitMismatch(_AnyMismatch):
    """The program ended with another status; None: it has none."""

    expected: int
    actual: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseTestMismatch(_AnyMismatch):
    """A test of the course's did not pass."""

    actual: CourseTestOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteMismatch(_AnyMismatch):
    """The student's tests do not meet the question asked about them."""

    question: SuiteQuestion
    actual: SuiteOutcome
    statements: int = 0  # percent that the tests should run
    branches: int = 0


class FigurePart(StrEnum):
    """The part of a figure that differs; a part of a plot has the name of its field."""

    COUNT = "count"  # of all figures
    PLOTS = "plots"  # their number
    TITLE = "title"
    X_LABEL = "x_label"
    Y_LABEL = "y_label"
    LEGEND = "legend"
    LINES = "lines"
    BARS = "bars"
    POINTS = "points"


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureMismatch(_AnyMismatch):
    """A part of a figure differs from the stated one: both in words, None for nothing."""

    part: FigurePart
    expected: str | None
    actual: str | None
    figure: int | None = None  # from 1; None: there is only one
    plot: int | None = None  # from 1; None: the figure as a whole, or its only plot


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
    """Return whether the matcher accepts a returned value. Differences that are forgiven in printed
    text are forgiven in a returned text, but not inside other values."""
    if value.kind is ValueKind.STR and rules.ignore:
        return matcher.accepts_text(value.text, rules)
    return matcher.accepts(value)


def narrowed(mismatch: Mismatch, rules: TextRules) -> Mismatch:
    """Return the same mismatch, with the first part that fails instead of an `all_of` or
    `none_of`.
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
            # An exception of another type may well have the expected message.
            if mismatch.actual is not None and stated.allows(mismatch.actual.type_name):
                said = Value(ValueKind.STR, mismatch.actual.message)
                failing = message.failing_part(lambda part: part.accepts(said))
                narrowed_raise = replace(stated, message=failing)
                return replace(mismatch, expected=narrowed_raise)
    return mismatch
