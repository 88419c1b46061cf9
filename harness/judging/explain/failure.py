"""A failure with what the explanation rules ask about it."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from harness.common.escaping import plain, quoted
from harness.judging.compare.ending import at_import
from harness.judging.compare.mismatch import (
    EndingMismatch,
    Mismatch,
    RaiseMismatch,
    ReadsMismatch,
    TextMismatch,
    ValueMismatch,
)
from harness.judging.compare.reads import expected_reads
from harness.judging.compare.text import text_mismatches
from harness.judging.compare.value import FirstDifference, argument_name, first_difference
from harness.judging.comparison import shared_end, shared_start
from harness.matchers.comparison import normalised, same, with_equal_lines
from harness.matchers.kinds.values import Exactly
from harness.model.expectation import Expectation, Matcher
from harness.model.explanation.facts import RaisedAtLine, SourceLine, Stated
from harness.model.explanation.sentences import clause_about, ended, finished, statement
from harness.model.observation import Ending, Observation, Raised, StepOutcome
from harness.model.stimulus import Action, Stimulus, called_function, statements
from harness.model.values import Value, ValueKind
from harness.model.verdict import Channel

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class TextEdit:
    """Two texts that differ, by their lines: from line `at` (0-based) on, `inserted` is in place of
    `removed`. Each is computed once, because a text may be very long."""

    expected: list[str] = field(default_factory=list)
    actual: list[str] = field(default_factory=list)
    place: str = ""  # how a sentence about them begins
    printed: bool = False
    shown: bool = False  # of what a session shows a part may be the value of an expression
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
        """Return the first line that differs, of each side; None after a side's last."""
        return item_at(self.expected, self.at), item_at(self.actual, self.at)

    @property
    def at_end(self) -> bool:
        """Return whether nothing follows on either side."""
        return not self._end

    @property
    def one_line(self) -> tuple[str, str] | None:
        """Return the only line that differs, if all else is right."""
        if len(self.removed) != 1 or len(self.inserted) != 1:
            return None
        return self.removed[0], self.inserted[0]

    @property
    def named(self) -> str:
        if self.file is not None:
            return f"the file {plain(self.file, limit=60)}"
        return f"what it {self.verb}"

    @property
    def verb(self) -> str:
        return "shows" if self.shown else "prints" if self.printed else "returns"


def item_at(items: Sequence[T], index: int | None) -> T | None:
    """Return the item of this index; None if it does not exist."""
    return items[index] if index is not None and index < len(items) else None


# Of these nothing is known, or not what the program itself would have done.
_NOTHING_BEFORE = frozenset(
    {Ending.TAMPERED, Ending.STOPPED_EARLY, Ending.HARNESS_ERROR, Ending.MISSING}
)


class Failure:
    """An observation that failed, with what differs: of a session only in the first step that does,
    for the later ones follow from it."""

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
        self.step = min((m.step for m in mismatches if m.step is not None), default=None)
        self.mismatches = tuple(
            m for m in mismatches if m.step == self.step or isinstance(m, EndingMismatch)
        )
        self.loading = at_import(observation, stimulus)
        ending = self._first(EndingMismatch)
        self.ending = ending.actual if ending else None  # if it is not as expected
        self.raises = self._first(RaiseMismatch)
        self.raised = self.raises.actual if self.raises else None
        self.text = self._first(TextMismatch)
        self.reads = self._first(ReadsMismatch)
        self.returns = item_at(self._values(Channel.RETURNS), 0)
        self.leaves = item_at(self._values(Channel.LEAVES), 0)
        self.stderr = item_at(self._values(Channel.STDERR), 0)
        self.files = self._values(Channel.WRITES)  # by name
        self.file = item_at(self.files, 0)
        self.expected_reads = expected_reads(expectation) or 0  # also if that is unknown
        self._action = stimulus.action
        reference = expectation.reference
        self.expected_step = item_at(reference.steps, self.step) if reference else None
        self._seen: Observation | StepOutcome = observation
        if self.step is not None:
            self._seen = item_at(observation.steps, self.step) or StepOutcome()

    @cached_property
    def earlier(self) -> Failure | None:
        """Return what is wrong on its screen before it ends, raises or asks as it should not, or
        None.
        """
        ends_otherwise = self.ending is not None or self.reads is not None or self.raised
        asks_nothing = self.expected_reads and not self.observation.reads
        if not ends_otherwise or asks_nothing or self.loading or self.ending in _NOTHING_BEFORE:
            return None
        text = self.text
        if text is None and self.ending is not None:  # of a limit: the last output may be cut
            texts = text_mismatches(self.observation, self.expectation)
            text = next((each for each in texts if self._is_over(each)), None)
        if text is None or not (self._is_over(text) or self._differs_before_its_end(text)):
            return None
        return Failure(self.observation, self.expectation, self.stimulus, (text,))

    @property
    def in_time(self) -> tuple[Mismatch, ...]:
        """Return the differences, those on the screen before the end first."""
        if self.earlier is None:
            return self.mismatches
        texts = (self.text,) if self.text else self.earlier.mismatches
        return (*texts, *(each for each in self.mismatches if each is not self.text))

    def _is_over(self, text: TextMismatch) -> bool:
        """Return whether it is of a turn after which an input was taken."""
        taken = sum(turn.typed is not None for turn in self._seen.turns)
        return text.turn is not None and text.turn < taken

    def _differs_before_its_end(self, text: TextMismatch) -> bool:
        """Return whether a line of the last turn differs, and one side does not only go on."""
        texts = self.texts
        if texts is None or (text.turn is None and self.observation.reads):
            return False
        wanted, got = texts.first_lines
        is_last = texts.at == len(texts.actual) - 1
        if got is None or (is_last and (wanted or "").startswith(got)):
            return False
        goes_on = wanted is None or (texts.at == len(texts.expected) - 1 and got.startswith(wanted))
        return not goes_on or self.raised is not None

    def _first(self, kind: type[T]) -> T | None:
        return next((m for m in self.mismatches if isinstance(m, kind)), None)

    def _values(self, channel: Channel) -> tuple[ValueMismatch, ...]:
        values = (m for m in self.mismatches if isinstance(m, ValueMismatch))
        return tuple(m for m in values if m.channel is channel)

    @cached_property
    def exact_return(self) -> tuple[Value, Value] | None:
        """Return the only value that should be returned and the returned one, if they differ."""
        return self.returns.pair if self.returns else None

    @cached_property
    def first_difference(self) -> FirstDifference | None:
        return None if self.exact_return is None else first_difference(*self.exact_return)

    @cached_property
    def texts(self) -> TextEdit | None:
        """Return the first printed text that differs, otherwise the returned one."""
        text = self.text
        if text is not None:
            about = TextEdit(place=self.place(text.turn), printed=True, shown=text.shown)
            return self._edit(text.expected, text.actual, about)
        pair = self.exact_return
        if pair is None or not all(value.kind is ValueKind.STR for value in pair):
            return None
        expected, actual = (value.text.split("\n") for value in pair)
        return TextEdit(expected=expected, actual=actual, place=self.place())

    def _edit(self, expected: Matcher | None, actual: str, about: TextEdit) -> TextEdit | None:
        """Return texts without the forgiven parts; None if any of several would do."""
        if expected is None or expected.exact_text is None:
            return None
        texts, rules = (expected.exact_text, actual), self.expectation.stated.rules
        wanted, lines = (normalised(text, rules).split("\n") for text in texts)
        return replace(about, expected=wanted, actual=with_equal_lines(wanted, lines, rules))

    @cached_property
    def file_texts(self) -> TextEdit | None:
        """Return the first file that differs, if it should be a text and is one."""
        file = self.file
        if file is None or file.actual is None or file.actual.kind is not ValueKind.STR:
            return None
        about = TextEdit(place=self.place(), file=file.name)
        return self._edit(file.expected, file.actual.text, about)

    @property
    def all_texts(self) -> tuple[TextEdit, ...]:
        """Return the texts that differ: the printed or else the returned one, and the
        first file.
        """
        return tuple(texts for texts in (self.texts, self.file_texts) if texts is not None)

    @property
    def expected_printed(self) -> str | None:
        """Return all text that should be printed (by the failing step); None if that is unknown."""
        reference = self.expectation.reference
        if reference is None:
            stated = self.expectation.stated.prints
            return None if stated is None else stated.exact_text
        return (self.expected_step or reference).printed

    @property
    def actual_printed(self) -> str:
        """Return all text that was printed (by the failing step)."""
        return self._seen.printed

    @cached_property
    def changes(self) -> tuple[ArgumentChange, ...]:
        """Return the arguments (or, in a session, the variables) that differ afterwards."""
        action, seen = self._action, self.observation
        if action.steps:
            if self.step is not None:
                return _shown_later(seen, self.expectation, action, self.step)
            if self.expectation.reference is None:
                return ()
            names = (variable.name for variable in seen.variables)
            before = {name: _before(seen, action, name, len(seen.steps)) for name in names}
        else:
            reference = self.expectation.reference
            others = reference.arguments_before if reference else seen.arguments_before
            pairs = enumerate(zip(seen.arguments_before, others, strict=False))
            # A call may be given a value of the program's own, and a wrong one.
            right = [(at, value) for at, (value, other) in pairs if same(value, other)]
            before = {argument_name(self.expectation, at): value for at, value in right}
        return tuple(
            _change(m.name, m.expected, value, m.actual, seen.value)
            for m in self._values(Channel.LEAVES)
            if isinstance(m.expected, Exactly)
            and m.actual is not None
            and (value := before.get(m.name)) is not None
        )

    @property
    def who(self) -> str:
        """Return the subject of a sentence: the called function, unless that is a built-in."""
        action = self._action
        only_step = action.steps[0] if len(action.steps) == 1 else ""
        name = called_function(self.step_source or only_step or action.expression)
        return action.subject if name is None or hasattr(builtins, name) else name

    @property
    def step_source(self) -> str:
        return item_at(self._action.steps, self.step) or ""

    def place(self, turn: int | None = None) -> str:
        """Return the place for a sentence: "After input 3 ("a1")", "In step 2 (…)", or ""."""
        parts: list[str] = []
        if self.step is not None and len(self._action.steps) != 1:
            parts.append(f"in step {self.step + 1} ({plain(self.step_source.strip(), limit=60)})")
        turns = self._seen.turns
        if turn is not None and turns and turns[0].typed is not None:
            parts.append(f"after {self.typed(turn - 1)}" if turn else "before the first input")
        return ", ".join(parts)

    @property
    def is_to_end(self) -> bool:
        """Return whether the text that differs follows the last input, after which nothing should
        be printed.
        """
        text = self.text
        return (
            text is not None
            and text.turn == self.expected_reads > 0
            and text.expected.exact_text == ""
            and self.step is None
        )

    def typed(self, index: int) -> str:
        """Input `index` (0-based) in words: `input 3 ("a1")`."""
        taken = [turn.typed for turn in self._seen.turns if turn.typed is not None]
        typed = item_at(taken, index)
        if typed is None:
            return f"input {index + 1}"
        text = quoted(typed.text, limit=30) if typed.text else "only Enter"
        return f"input {index + 1} ({text if typed.key is None else typed.key.value})"

    def says(self, clause: str, *, place: str | None = None, who: str | None = None) -> str:
        """Return one sentence: the place, the subject, and what they do."""
        return ended(self.clause(clause, place=place, who=who))

    def clause(self, clause: str, *, place: str | None = None, who: str | None = None) -> str:
        """Return the same without a full stop, for a sentence that goes on."""
        where = self.place() if place is None else place
        return clause_about(where, self.who if who is None else who, clause)

    def raised_at(
        self, raised: Raised | None, clause: str, rest: str = ".", *, who: str | None = None
    ) -> Stated | RaisedAtLine:
        """Say a clause with the line at which an exception came up, if that is known."""
        return at_line(self.clause(clause, who=who), raised, rest)


def at_line(clause: str, raised: Raised | None, rest: str = ".") -> Stated | RaisedAtLine:
    """Return a clause with the line at which an exception came up, if that is known."""
    if raised is None or not raised.frames:
        return statement(ended(clause) if rest == "." else f"{clause}{rest}")
    frame = raised.frames[-1]
    line = SourceLine(number=frame.line, text=frame.source.strip())
    return RaisedAtLine(clause=finished(clause), line=line, rest=finished(rest))


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentChange:
    """A name's value before, as it should be afterwards, and as it is; the last two differ."""

    name: str
    before: Value
    expected: Value
    actual: Value
    returned: Value | None  # by the function
    later: bool = False  # the value was only seen after further steps of a session

    @property
    def should_change(self) -> bool:
        return not same(self.before, self.expected)

    @property
    def did_change(self) -> bool:
        return not same(self.before, self.actual)


def _change(
    name: str, expected: Exactly, before: Value, actual: Value, returned: Value | None
) -> ArgumentChange:
    """Compare an argument; floats that are near enough to the expected ones are not a change."""
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
    """Return a change that a step only shows, because an earlier call made it."""
    reference = expectation.reference.steps if expectation.reference else ()
    done = min(len(session.steps), len(reference), len(observation.steps))
    # Where the call itself fails (it returned something else): what it left behind.
    shown = next((at for at in range(step, done) if shown_name(session.steps[at])), None)
    if shown is None:
        return ()
    name = session.steps[shown].strip()
    before = _before(observation, session, name, shown)
    wanted, actual = reference[shown].value, observation.steps[shown].value
    if before is None or wanted is None or actual is None:
        return ()
    expected = Exactly(value=wanted, floats=expectation.floats)
    if expected.accepts(actual):
        return ()
    returned = observation.steps[shown - 1].value if shown else None
    change = _change(name, expected, before, actual, returned)
    return (replace(change, later=shown > step + 1),)


def shown_name(source: str) -> str | None:
    """Return the variable that a session step only shows."""
    source = source.strip()
    return source if source.isidentifier() else None


def _before(observation: Observation, session: Action, name: str, shown: int) -> Value | None:
    """Return the name's value when it was last shown or assigned as a literal."""
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
