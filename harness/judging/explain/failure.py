"""Provides what explanation rules need to know about a failure, such as the first line that
differs.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from harness.common.escaping import plain, quoted
from harness.judging.compare.ending import at_import
from harness.judging.compare.mismatch import (
    CourseTestMismatch,
    EndingMismatch,
    FigureMismatch,
    Mismatch,
    RaiseMismatch,
    ReadsMismatch,
    SuiteMismatch,
    TextMismatch,
    ValueMismatch,
)
from harness.judging.compare.reads import expected_reads
from harness.judging.compare.text import text_mismatches
from harness.judging.compare.value import FirstDifference, argument_name, first_difference
from harness.judging.side_by_side.comparison import shared_end, shared_start
from harness.matchers.comparison import normalised, same, with_equal_lines
from harness.matchers.kinds.values import Exactly
from harness.model.expectation import Expectation, Matcher
from harness.model.explanation.facts import RaisedAtLine, SourceLine, Stated
from harness.model.explanation.sentences import clause_about, ended, finished, statement
from harness.model.observation import Ending, Observation, Raised, StepOutcome
from harness.model.stimulus import Action, Stimulus, Typed, called_function, statements
from harness.model.values import Value, ValueKind
from harness.model.verdict import Channel

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class TextEdit:
    """The first difference between an expected and an actual text: at line `at` (0-based), the
    lines `removed` are expected and `inserted` are there instead.

    Each attribute is computed only once, because texts may be very long.
    """

    expected: list[str] = field(default_factory=list)
    actual: list[str] = field(default_factory=list)
    place: str = ""  # start of a sentence about these lines, such as "After input 3"
    printed: bool = False
    shown: bool = False  # the text includes displayed values of expressions
    file: str | None = None

    @cached_property
    def at(self) -> int:
        return shared_start(self.expected, self.actual)

    @cached_property
    def _end(self) -> int:
        most = min(len(self.expected), len(self.actual)) - self.at
        return shared_end(self.expected, self.actual, most)

    @cached_property
    def removed(self) -> list[str]:
        return self.expected[self.at : len(self.expected) - self._end]

    @cached_property
    def inserted(self) -> list[str]:
        return self.actual[self.at : len(self.actual) - self._end]

    @property
    def expected_text(self) -> str:
        return "\n".join(self.expected)

    @property
    def actual_text(self) -> str:
        return "\n".join(self.actual)

    @property
    def first_lines(self) -> tuple[str | None, str | None]:
        """Return the first expected and the first actual line that differ; None if that text has
        already ended.
        """
        return item_at(self.expected, self.at), item_at(self.actual, self.at)

    @property
    def at_end(self) -> bool:
        """Return whether both texts end with this difference."""
        return not self._end

    @property
    def one_line(self) -> tuple[str, str] | None:
        """Return the expected and the actual line if they are the only difference,
        otherwise None.
        """
        if len(self.removed) != 1 or len(self.inserted) != 1:
            return None
        return self.removed[0], self.inserted[0]

    @property
    def named(self) -> str:
        if self.file is not None:
            return f"the file {plain(self.file, limit=60)}"
        if self.shown:
            return "the shown text"
        if self.printed:
            return "the printed text"
        return "the returned text"

    @property
    def verb(self) -> str:
        if self.shown:
            return "shows"
        if self.printed:
            return "prints"
        return "returns"


def item_at(items: Sequence[T], index: int | None) -> T | None:
    """Return the item with this index, or None if the index is None or out of range."""
    if index is None or index >= len(items):
        return None
    return items[index]


def first_visible(lines: Iterable[str]) -> str:
    """Return the first line that is not blank, or "" if there is none."""
    for line in lines:
        if line.strip():
            return line
    return ""


def last_visible(lines: Sequence[str]) -> str:
    """Return the last line that is not blank, or "" if there is none."""
    return first_visible(reversed(lines))


# After these endings, earlier output says nothing about the program.
_NOTHING_BEFORE = frozenset(
    {Ending.TAMPERED, Ending.STOPPED_EARLY, Ending.HARNESS_ERROR, Ending.MISSING}
)


def _of_step(mismatches: Iterable[Mismatch], step: int | None) -> Iterator[Mismatch]:
    """Yield the mismatches of one session step, and those about the end of the process."""
    for mismatch in mismatches:
        if mismatch.step == step or isinstance(mismatch, EndingMismatch):
            yield mismatch


class Failure:
    """A failed observation with its mismatches.

    For a session only the mismatches of the first wrong step are kept, because later ones may
    follow from it.
    """

    def __init__(
        self,
        observation: Observation,
        expectation: Expectation,
        stimulus: Stimulus,
        mismatches: tuple[Mismatch, ...],
    ) -> None:
        self.observation = observation
        self.expectation = expectation
        self.stimulus = stimulus
        steps = [mismatch.step for mismatch in mismatches if mismatch.step is not None]
        self.step = min(steps, default=None)
        self.mismatches = tuple(_of_step(mismatches, self.step))
        self.loading = at_import(observation, stimulus)
        self.ending: Ending | None = None  # set only if the process ended in an unexpected way
        ending = self._first(EndingMismatch)
        if ending is not None:
            self.ending = ending.actual
        self.raised: Raised | None = None
        self.raises = self._first(RaiseMismatch)
        if self.raises is not None:
            self.raised = self.raises.actual
        self.text = self._first(TextMismatch)
        self.reads = self._first(ReadsMismatch)
        self.test = self._first(CourseTestMismatch)
        self.suite = self._first(SuiteMismatch)
        self.figure = self._first(FigureMismatch)
        self.returns = item_at(self._values(Channel.RETURNS), 0)
        self.leaves = item_at(self._values(Channel.LEAVES), 0)
        self.stderr = item_at(self._values(Channel.STDERR), 0)
        self.files = self._values(Channel.WRITES)  # by name
        self.file = item_at(self.files, 0)
        self.expected_reads = expected_reads(expectation) or 0  # None also if it is unknown
        self._action = stimulus.action
        self.expected_step: StepOutcome | None = None
        if expectation.reference is not None:
            self.expected_step = item_at(expectation.reference.steps, self.step)
        self._outcome: Observation | StepOutcome = observation
        if self.step is not None:
            self._outcome = item_at(observation.steps, self.step) or StepOutcome()

    @cached_property
    def earlier(self) -> Failure | None:
        """Return wrong output that came before a wrong ending, exception or number of inputs; None
        if there is none.
        """
        if not self._ends_wrongly() or self.loading or self.ending in _NOTHING_BEFORE:
            return None
        asks_nothing = self.expected_reads and not self.observation.reads
        if asks_nothing:
            return None
        text = self.text
        if text is None and self.ending is not None:
            text = self._text_before_limit()
        if text is None:
            return None
        if not self._is_over(text) and not self._differs_before_its_end(text):
            return None
        return Failure(self.observation, self.expectation, self.stimulus, (text,))

    def _ends_wrongly(self) -> bool:
        """Return whether the ending, the exception or the number of inputs is wrong."""
        return self.ending is not None or self.reads is not None or self.raised is not None

    def _text_before_limit(self) -> TextMismatch | None:
        """Return the first turn that differs and was complete.

        The last turn may have been cut off by a limit.
        """
        for text in text_mismatches(self.observation, self.expectation):
            if self._is_over(text):
                return text
        return None

    @property
    def in_time(self) -> tuple[Mismatch, ...]:
        """Return all mismatches in order of time: wrong output before a wrong end comes first."""
        if self.earlier is None:
            return self.mismatches
        if self.text is None:
            return (*self.earlier.mismatches, *self.mismatches)
        others = [mismatch for mismatch in self.mismatches if mismatch is not self.text]
        return (self.text, *others)

    def _is_over(self, text: TextMismatch) -> bool:
        """Return whether an input was read after this output, so that the output is complete."""
        return text.turn is not None and text.turn < len(self._taken)

    @property
    def _taken(self) -> list[Typed]:
        """Return the inputs that were read (in the failing step of a session)."""
        return [turn.typed for turn in self._outcome.turns if turn.typed is not None]

    def _differs_before_its_end(self, text: TextMismatch) -> bool:
        """Return whether the last turn has a wrong line.

        A line that only stops early, or an expected text that ends early, does not count.
        """
        texts = self.texts
        # Without turns, inputs may have come anywhere in the text.
        if texts is None or (text.turn is None and self.observation.reads):
            return False
        wanted, got = texts.first_lines
        is_last = texts.at == len(texts.actual) - 1
        # The line is missing or only stops early: it was cut off.
        if got is None or (is_last and (wanted or "").startswith(got)):
            return False
        # Before an exception, a line beyond the expected text counts too.
        if self.raised is not None:
            return True
        # A program that a limit stopped may have gone on after the expected text.
        if wanted is None:
            return False
        is_last_expected = texts.at == len(texts.expected) - 1
        return not is_last_expected or not got.startswith(wanted)

    def _first(self, kind: type[T]) -> T | None:
        for mismatch in self.mismatches:
            if isinstance(mismatch, kind):
                return mismatch
        return None

    def _values(self, channel: Channel) -> tuple[ValueMismatch, ...]:
        values: list[ValueMismatch] = []
        for mismatch in self.mismatches:
            if isinstance(mismatch, ValueMismatch) and mismatch.channel is channel:
                values.append(mismatch)
        return tuple(values)

    @cached_property
    def exact_return(self) -> tuple[Value, Value] | None:
        """Return the expected and the actual return value; None if they agree or several values
        are right.
        """
        if self.returns is None:
            return None
        return self.returns.pair

    @cached_property
    def first_difference(self) -> FirstDifference | None:
        if self.exact_return is None:
            return None
        return first_difference(*self.exact_return)

    @cached_property
    def texts(self) -> TextEdit | None:
        """Return the difference of the printed text or, if that is right, of a returned text."""
        text = self.text
        if text is not None:
            about = TextEdit(place=self.place(text.turn), printed=True, shown=text.shown)
            return self._edit(text.expected, text.actual, about)
        if self.exact_return is None:
            return None
        expected, actual = self.exact_return
        if expected.kind is not ValueKind.STR or actual.kind is not ValueKind.STR:
            return None
        lines, other_lines = expected.text.split("\n"), actual.text.split("\n")
        return TextEdit(expected=lines, actual=other_lines, place=self.place())

    def _edit(self, expected: Matcher | None, actual: str, about: TextEdit) -> TextEdit | None:
        """Return the difference between two texts without the parts that the scenario ignores;
        None if several texts would be right.
        """
        if expected is None or expected.exact_text is None:
            return None
        rules = self.expectation.stated.rules
        wanted = normalised(expected.exact_text, rules).split("\n")
        lines = normalised(actual, rules).split("\n")
        return replace(about, expected=wanted, actual=with_equal_lines(wanted, lines, rules))

    @cached_property
    def file_texts(self) -> TextEdit | None:
        """Return the difference in the first wrong file; None if it is not a text file."""
        file = self.file
        if file is None or file.actual is None or file.actual.kind is not ValueKind.STR:
            return None
        about = TextEdit(place=self.place(), file=file.name)
        return self._edit(file.expected, file.actual.text, about)

    @property
    def all_texts(self) -> tuple[TextEdit, ...]:
        """Return the differences of the printed (or else the returned) text and of the first wrong
        file.
        """
        both = (self.texts, self.file_texts)
        return tuple(edit for edit in both if edit is not None)

    @property
    def expected_printed(self) -> str | None:
        """Return all text that should be printed (in the failing step of a session); None if
        unknown.
        """
        reference = self.expectation.reference
        if reference is not None:
            return (self.expected_step or reference).printed
        stated = self.expectation.stated.prints
        if stated is None:
            return None
        return stated.exact_text

    @property
    def actual_printed(self) -> str:
        """Return all text that was printed (in the failing step of a session)."""
        return self._outcome.printed

    @cached_property
    def changes(self) -> tuple[ArgumentChange, ...]:
        """Return the arguments, or a session's variables, that have wrong values afterwards."""
        action, observation = self._action, self.observation
        if not action.steps:
            before = self._arguments_before()
        elif self.step is not None:
            return _shown_later(observation, self.expectation, action, self.step)
        elif self.expectation.reference is not None:
            before = self._variables_before()
        else:
            return ()
        changes: list[ArgumentChange] = []
        for mismatch in self._values(Channel.LEAVES):
            name, expected, actual = mismatch.name, mismatch.expected, mismatch.actual
            value = before.get(name)
            if isinstance(expected, Exactly) and actual is not None and value is not None:
                changes.append(_change(name, expected, value, actual, observation.value))
        return tuple(changes)

    def _arguments_before(self) -> dict[str, Value]:
        """Return the arguments before the call, by name.

        Arguments that already differ from the reference's are left out: the program itself may have
        computed them wrongly.
        """
        values = right_values = self.observation.arguments_before
        if self.expectation.reference is not None:
            right_values = self.expectation.reference.arguments_before
        before: dict[str, Value] = {}
        for position, (value, right) in enumerate(zip(values, right_values, strict=False)):
            if same(value, right):
                before[argument_name(self.expectation, position)] = value
        return before

    def _variables_before(self) -> dict[str, Value]:
        """Return the last known value of each variable of a session: displayed or assigned as a
        literal.
        """
        observation = self.observation
        before: dict[str, Value] = {}
        for variable in observation.variables:
            name = variable.name
            value = _before(observation, self._action, name, len(observation.steps))
            if value is not None:
                before[name] = value
        return before

    @property
    def who(self) -> str:
        """Return the subject for a sentence: the called function, or "your program" for
        built-ins.
        """
        action = self._action
        source = self.step_source
        if not source and len(action.steps) == 1:
            source = action.steps[0]
        name = called_function(source or action.expression)
        if name is None or hasattr(builtins, name):
            return action.subject
        return name

    @property
    def step_source(self) -> str:
        return item_at(self._action.steps, self.step) or ""

    def place(self, turn: int | None = None) -> str:
        """Return the place with which a sentence begins, such as "After input 3 ("a1")" or "In
        step 2 (…)"; "" if there is none.
        """
        parts: list[str] = []
        if self.step is not None and len(self._action.steps) != 1:
            source = plain(self.step_source.strip(), limit=60)
            parts.append(f"in step {self.step + 1} ({source})")
        turns = self._outcome.turns
        has_input = turns and turns[0].typed is not None
        if has_input and turn == 0:
            parts.append("before the first input")
        elif has_input and turn is not None:
            parts.append(f"after {self.typed(turn - 1)}")
        return ", ".join(parts)

    @property
    def is_to_end(self) -> bool:
        """Return whether the wrong text follows the last input, and nothing should be printed
        there.
        """
        text = self.text
        if text is None or self.step is not None or self.expected_reads == 0:
            return False
        return text.turn == self.expected_reads and text.expected.exact_text == ""

    def typed(self, index: int) -> str:
        """Return a phrase such as `input 3 ("a1")` for the input with this 0-based index."""
        typed = item_at(self._taken, index)
        if typed is None:
            return f"input {index + 1}"
        if typed.key is not None:
            text = str(typed.key.value)
        elif typed.text:
            text = quoted(typed.text, limit=30)
        else:
            text = "only Enter"
        return f"input {index + 1} ({text})"

    def says(self, clause: str, *, place: str | None = None, who: str | None = None) -> str:
        """Return a full sentence with place, subject and predicate."""
        return ended(self.clause(clause, place=place, who=who))

    def clause(self, clause: str, *, place: str | None = None, who: str | None = None) -> str:
        """Return a sentence without its full stop, to be continued."""
        if place is None:
            place = self.place()
        if who is None:
            who = self.who
        return clause_about(place, who, clause)

    def raised_at(
        self, raised: Raised | None, clause: str, rest: str = ".", *, who: str | None = None
    ) -> Stated | RaisedAtLine:
        """Return the clause, with the line that raised the exception if it is known."""
        return at_line(self.clause(clause, who=who), raised, rest)


def at_line(clause: str, raised: Raised | None, rest: str = ".") -> Stated | RaisedAtLine:
    """Return the clause, with the line that raised the exception if it is known."""
    if raised is None or not raised.frames:
        if rest == ".":
            return statement(ended(clause))
        return statement(f"{clause}{rest}")
    frame = raised.frames[-1]
    line = SourceLine(number=frame.line, text=frame.source.strip())
    return RaisedAtLine(clause=finished(clause), line=line, rest=finished(rest))


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentChange:
    """A variable's value before the call, its wrong value after the call, and the expected
    value.
    """

    name: str
    before: Value
    expected: Value
    actual: Value
    returned: Value | None  # return value of the call
    later: bool = False  # the wrong value appeared only some session steps later

    @property
    def should_change(self) -> bool:
        return not same(self.before, self.expected)

    @property
    def did_change(self) -> bool:
        return not same(self.before, self.actual)


def _change(
    name: str, expected: Exactly, before: Value, actual: Value, returned: Value | None
) -> ArgumentChange:
    """Describe how the call changed an argument. Floats within the tolerance count as unchanged."""
    return ArgumentChange(
        name=name,
        before=expected.pair(before)[1],
        expected=expected.value,
        actual=expected.pair(actual)[1],
        returned=returned and expected.pair(returned)[1],
    )


def _shown_later(
    observation: Observation, expectation: Expectation, session: Action, step: int
) -> tuple[ArgumentChange, ...]:
    """Return the wrong change of a variable that an earlier call made and that a later step
    displays.
    """
    if expectation.reference is None:
        return ()
    steps, reference = observation.steps, expectation.reference.steps
    done = min(len(session.steps), len(reference), len(steps))
    # If the failing step is the call itself (wrong return value), look at what it changed.
    shown = step
    while shown < done and not shown_name(session.steps[shown]):
        shown += 1
    if shown >= done:
        return ()
    name = session.steps[shown].strip()
    before = _before(observation, session, name, shown)
    wanted, actual = reference[shown].value, steps[shown].value
    if before is None or wanted is None or actual is None:
        return ()
    expected = Exactly(value=wanted, floats=expectation.floats)
    if expected.accepts(actual):
        return ()
    returned: Value | None = None
    if shown:
        returned = steps[shown - 1].value
    change = _change(name, expected, before, actual, returned)
    return (replace(change, later=shown > step + 1),)


def shown_name(source: str) -> str | None:
    """Return the variable if a session step consists only of its name."""
    name = source.strip()
    if name.isidentifier():
        return name
    return None


def _before(observation: Observation, session: Action, name: str, shown: int) -> Value | None:
    """Return the variable's last value that was displayed, or assigned as a literal, before step
    `shown`.
    """
    for index in range(min(shown, len(session.steps), len(observation.steps)) - 1, -1, -1):
        if shown_name(session.steps[index]) == name:
            return observation.steps[index].value
        match statements(session.steps[index].strip()):
            case [ast.Assign(targets=[ast.Name(id=target), *_], value=node)] if target == name:
                try:
                    return Value.of(ast.literal_eval(node))
                except (ValueError, TypeError):
                    return None
    return None
