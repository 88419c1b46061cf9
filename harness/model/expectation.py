"""What a scenario's result is compared with: the values that the scenario states, and the
reference's observations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum

from harness.common.serial import open_union
from harness.common.words import counted
from harness.model.figures import Mark
from harness.model.observation import Ending, Observation
from harness.model.values import Value, ValueKind

KEY_VERSION = 3


class Ignore(StrEnum):
    """A kind of difference in text that a scenario may ignore."""

    CASE = "case"
    TRAILING_SPACE = "trailing-space"
    BLANK_LINES = "blank-lines"
    WHITESPACE = "whitespace"  # the number of blanks, and all blanks at the ends of lines and text
    PUNCTUATION = "punctuation"  # the marks of sentences, but not those inside a number


@dataclass(frozen=True, slots=True, kw_only=True)
class Floats:
    """How much floats may differ."""

    within: float
    in_text: bool = False  # also if a text shows them


@dataclass(frozen=True, slots=True, kw_only=True)
class TextRules:
    """The differences between two texts that are ignored."""

    ignore: tuple[Ignore, ...] = ()
    within: float | None = None  # the tolerance for floats in the text


EXACT = TextRules()


@open_union("harness.matchers.kinds", "matcher_classes")
class Matcher(ABC):
    """A matcher instead of an expected value or text: a dataclass of `harness.matchers`."""

    __slots__ = ()

    @abstractmethod
    def accepts(self, value: Value) -> bool:
        """Return whether `value` meets the matcher. Raise HarnessError for an unresolved `{python:
        …}`, or a pattern whose search takes too long."""

    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool:
        """Return whether printed text meets the matcher, without the differences that `rules`
        ignore.
        """
        return self.accepts(Value(ValueKind.STR, text))

    @abstractmethod
    def in_words(self, *, whole: bool = False) -> str:
        """Return a description that can follow "expected".

        With `whole`, list all of its lines; otherwise name at most two.
        """

    def value_in_words(self, value: Value) -> str | None:
        """Return a description of a value that the matcher rejects; None to show the value's
        source.
        """
        return None

    def as_tables(self, value: Value) -> tuple[Value, Value] | None:
        """Return the expected value and this one as lists of rows; None if they are not tables."""
        return None

    @property
    def exact_text(self) -> str | None:
        """Return the only text that the matcher accepts; None if it allows more than one."""
        return None

    def failing_part(self, holds: Callable[[Matcher], bool]) -> Matcher:
        """Return the part of a combined matcher that fails; other matchers return themselves."""
        return self


class OfExpression(Matcher):
    """A matcher that is incomplete until a Python expression is evaluated with the reference."""

    __slots__ = ()

    expression: str

    @abstractmethod
    def resolved(self, python_values: Mapping[str, Value]) -> Matcher:
        """Return the matcher with the value of its expression. Raise HarnessError if the value is
        missing."""


class TextMatcher(Matcher):
    """A matcher of text. The scenario's ignored differences apply to it."""

    __slots__ = ()

    def accepts(self, value: Value) -> bool:
        return value.kind is ValueKind.STR and self.accepts_text(value.text)

    @abstractmethod
    def accepts_text(self, text: str, rules: TextRules = EXACT) -> bool: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedTurn:
    """`turns: {3: …}`: the output before one input."""

    index: int  # the number of the input, from 0; the last one comes after the end
    printed: Matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedTurns:
    """`turns:` as a whole."""

    turns: tuple[StatedTurn, ...]
    all_turns: bool  # a list states all of them, so their number counts, too


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedRaise:
    """`raises: ValueError`, or with its message."""

    type_name: str  # empty of `{any: true}`
    message: Matcher | None = None
    also: tuple[str, ...] = ()  # the other ones of `{one_of: […]}`
    is_a: str = ""  # its class, or a class from which it derives

    def in_words(self) -> str:
        names = " or ".join((self.type_name or "an exception", *self.also))
        return f"{names} (a subclass of {self.is_a})" if self.is_a else names

    def allows(self, type_name: str) -> bool:
        return not self.type_name or type_name in (self.type_name, *self.also)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedLeave:
    """`leaves: {board: …}`: a parameter's or session variable's value afterwards."""

    name: str
    value: Matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedStep:
    """The expected effects of a session's step, if the scenario states them by matchers."""

    step: int  # from 0
    returns: Matcher | None = None
    prints: Matcher | None = None
    shows: Matcher | None = None  # everything that the step shows to a person
    raises: StatedRaise | None = None

    @property
    def states_value(self) -> bool:
        """Return whether the step states a value or how the value is displayed."""
        return self.returns is not None or self.shows is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedDrawn:
    """What a scenario states about a line, bar series or point series."""

    label: Matcher | None = None
    x: Matcher | None = None
    y: Matcher | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedPlot:
    """What a scenario states about a plot; None states nothing."""

    title: Matcher | None = None
    x_label: Matcher | None = None
    y_label: Matcher | None = None
    legend: tuple[str, ...] | None = None  # its texts, in any order
    has_legend: bool | None = None
    lines: tuple[StatedDrawn, ...] | None = None  # all of them, in any order
    bars: tuple[StatedDrawn, ...] | None = None
    points: tuple[StatedDrawn, ...] | None = None

    def drawn(self, mark: Mark) -> tuple[StatedDrawn, ...] | None:
        """Return the data of this kind; None if nothing is stated of it."""
        by_mark = {Mark.LINES: self.lines, Mark.BARS: self.bars, Mark.POINTS: self.points}
        return by_mark[mark]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFigure:
    """What a scenario states about a figure."""

    title: Matcher | None = None  # of the whole figure, if it states its plots one by one
    plots: tuple[StatedPlot, ...]
    all_plots: bool = False  # their number counts too; else it is about the first plot


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFigures:
    """`figures:`, the number of figures and what is stated of each (of none: only the number)."""

    count: int
    figures: tuple[StatedFigure, ...] = ()

    def in_words(self) -> str:
        """Return the number of figures, and their titles if these are stated."""
        words = counted(self.count, "figure")
        for figure in self.figures:
            title = figure.title or figure.plots[0].title
            if title is not None:
                words += f", titled {title.in_words()}"
        return words


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a scenario itself states about its result, with templates filled in; None states
    nothing.

    `transcript` and `shown` are texts that the reference must produce; submissions are compared
    with the reference.
    """

    returns: Matcher | None = None
    prints: Matcher | None = None
    stderr: Matcher | None = None  # if stated, its text is not part of the screen
    turns: StatedTurns | None = None
    transcript: str | None = None  # the whole screen with typed text
    prompts_any: bool = False  # the prompts of `input` calls are not compared
    shown: tuple[str, ...] | None = None  # the text of each session step, as printed in the sheet
    steps: tuple[StatedStep, ...] = ()  # those of a session that have matchers
    raises: StatedRaise | None = None
    leaves: tuple[StatedLeave, ...] = ()
    leaves_unchanged: bool = False
    leaves_any: bool = False  # parameters and variables are not compared
    exit: int | None = None
    exit_any: bool = False
    reads: int | None = None
    reads_at_most: int | None = None
    reads_any: bool = False
    ends: Ending | None = None
    ends_any: bool = False  # the program may answer, end early or ask for more
    ignore: tuple[Ignore, ...] = ()
    floats: Floats | None = None  # the scenario's, its file's or the assignment's
    writes: tuple[StatedLeave, ...] = ()  # files of the scenario's own folder
    writes_unchanged: bool = False
    writes_any: bool = False  # files are not compared
    writes_only: tuple[str, ...] | None = None  # all other files are unchanged
    figures: StatedFigures | None = None

    @property
    def rules(self) -> TextRules:
        """Return the ignored differences in text."""
        in_text = self.floats is not None and self.floats.in_text
        within = self.floats.within if self.floats is not None and in_text else None
        return TextRules(ignore=self.ignore, within=within)

    def of_step(self, index: int) -> StatedStep | None:
        """Return the matchers stated by the step of this index; None if it has none."""
        return next((step for step in self.steps if step.step == index), None)

    def parts(self) -> tuple[Matcher, ...]:
        """Return all matchers, including those inside other matchers."""
        return tuple(_matchers_in(self))


def _matchers_in(part: object) -> Iterator[Matcher]:
    if isinstance(part, Matcher):
        yield part
    if is_dataclass(part) and not isinstance(part, Value):
        part = tuple(getattr(part, field.name) for field in fields(part))
    for inner in part if isinstance(part, tuple) else ():
        yield from _matchers_in(inner)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """Everything that the observation of one stimulus is compared with."""

    stated: Expected  # with each `{python: …}` replaced by its value in the reference
    reference: Observation | None  # None if the assignment has none
    # The reference's parameter names for a call's positional arguments.
    parameters: tuple[str, ...] = ()

    @property
    def floats(self) -> Floats | None:
        """Return the tolerance for floats; None for none."""
        return self.stated.floats


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonAnswer:
    """The value of a `{python: expression}`, evaluated with the reference for one stimulus."""

    expression: str
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The reference's outcome for one stimulus of a scenario."""

    observation: Observation
    python: tuple[PythonAnswer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioAnswers:
    """One answer a stimulus, in the plan's order."""

    scenario_id: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerKey:
    """The reference's answers to all scenarios of a plan."""

    version: int
    spec_digest: str
    reference_digest: str
    made_with: str  # the interpreter build, tier and provided bytes
    scenarios: tuple[ScenarioAnswers, ...]
    run_seconds: float = field(default=0.0, compare=False)  # of the whole run; an upper bound

    def answers(self, scenario_id: str) -> tuple[Answer, ...]:
        """Return a scenario's answers. Raise KeyError for a scenario without any."""
        return {entry.scenario_id: entry.answers for entry in self.scenarios}[scenario_id]

    def subset(self, scenario_ids: Iterable[str]) -> AnswerKey:
        ids = set(scenario_ids)
        entries = tuple(entry for entry in self.scenarios if entry.scenario_id in ids)
        return replace(self, scenarios=entries)
