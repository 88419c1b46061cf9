"""A failure with what the explanation rules ask about it."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass
from functools import cached_property

from harness.common.escaping import plain, quoted
from harness.judging.channels import argument_name, at_import
from harness.judging.comparison import shared_end, shared_start
from harness.judging.mismatches import (
    EndingMismatch,
    FirstDifference,
    Mismatch,
    RaiseMismatch,
    ReadsMismatch,
    TextMismatch,
    ValueMismatch,
    expected_reads,
    first_difference,
    step_of,
)
from harness.matchers.comparison import normalised, same
from harness.matchers.kinds.equal_to import EqualData
from harness.matchers.kinds.values import Exactly
from harness.model.expectation import Expectation
from harness.model.observation import Ending, Observation, Raised, Turn
from harness.model.stimulus import Call, Run, Session, Stimulus, called_function
from harness.model.values import Value, ValueKind
from harness.model.verdict import Channel


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEdit:
    """Two texts that differ, by their lines: from line `at` (0-based) on, `inserted` is in place of
    `removed`. Computed once, because a text may be very long.

    They are printed, returned or in the file of the name `file`; `place` is how a sentence about
    them begins. Of what a session shows, `shown`, a part may be the value of an expression.
    """

    expected: list[str]
    actual: list[str]
    at: int
    removed: list[str]
    inserted: list[str]
    place: str
    printed: bool
    shown: bool
    file: str | None

    @classmethod
    def of(
        cls,
        expected: list[str],
        actual: list[str],
        place: str = "",
        *,
        printed: bool = False,
        shown: bool = False,
        file: str | None = None,
    ) -> TextEdit:
        """The one edit that makes the actual lines of the expected ones."""
        start = shared_start(expected, actual)
        end = shared_end(expected, actual, min(len(expected), len(actual)) - start)
        return cls(
            expected=expected,
            actual=actual,
            at=start,
            removed=expected[start : len(expected) - end],
            inserted=actual[start : len(actual) - end],
            place=place,
            printed=printed,
            shown=shown,
            file=file,
        )

    @property
    def expected_text(self) -> str:
        return "\n".join(self.expected)

    @property
    def actual_text(self) -> str:
        return "\n".join(self.actual)

    @property
    def at_end(self) -> bool:
        """Whether nothing follows on either side."""
        return self.at + len(self.removed) == len(self.expected)

    @property
    def one_line(self) -> tuple[str, str] | None:
        """The one line that is another, where all else is right."""
        if len(self.removed) != 1 or len(self.inserted) != 1:
            return None
        return self.removed[0], self.inserted[0]

    @property
    def named(self) -> str:
        """What a sentence about such a text calls it."""
        if self.file is not None:
            return f"the file {plain(self.file, limit=60)}"
        return f"what it {self.verb}"

    @property
    def verb(self) -> str:
        """What the program does with such a text."""
        if self.shown:
            return "shows"
        return "prints" if self.printed else "returns"


class Failure:
    """An observation that failed, with what differs.

    Of a session only the first step that differs counts: the later ones follow from it.
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
        steps = [step for m in mismatches if (step := step_of(m)) is not None]
        self.step = min(steps, default=None)
        self.mismatches = tuple(
            m for m in mismatches if step_of(m) == self.step or isinstance(m, EndingMismatch)
        )

    @property
    def loading(self) -> bool:
        """Whether it ended while the submission's own body was loading."""
        return at_import(self.observation, self.stimulus)

    @cached_property
    def ending(self) -> Ending | None:
        """How the process ended, where that is not as expected."""
        endings = (m.actual for m in self.mismatches if isinstance(m, EndingMismatch))
        return next(endings, None)

    @cached_property
    def raises(self) -> RaiseMismatch | None:
        return next((m for m in self.mismatches if isinstance(m, RaiseMismatch)), None)

    @property
    def raised(self) -> Raised | None:
        """The exception that came up, where that differs."""
        return self.raises.actual if self.raises else None

    @cached_property
    def returns(self) -> ValueMismatch | None:
        return next(iter(self._values(Channel.RETURNS)), None)

    @property
    def returned(self) -> Value | None:
        """The value that was returned, where that differs."""
        return self.returns.actual if self.returns else None

    @cached_property
    def leaves(self) -> ValueMismatch | None:
        """The first parameter or variable that differs afterwards."""
        return next(iter(self._values(Channel.LEAVES)), None)

    @cached_property
    def files(self) -> tuple[ValueMismatch, ...]:
        """The files that differ afterwards, by name."""
        return self._values(Channel.WRITES)

    def _values(self, channel: Channel) -> tuple[ValueMismatch, ...]:
        values = (m for m in self.mismatches if isinstance(m, ValueMismatch))
        return tuple(m for m in values if m.channel is channel)

    @cached_property
    def text(self) -> TextMismatch | None:
        return next((m for m in self.mismatches if isinstance(m, TextMismatch)), None)

    @cached_property
    def reads(self) -> ReadsMismatch | None:
        return next((m for m in self.mismatches if isinstance(m, ReadsMismatch)), None)

    @cached_property
    def expected_reads(self) -> int:
        """How many inputs should be read (0 when that is not known)."""
        return expected_reads(self.expectation) or 0

    def expected_prompt(self, index: int) -> str:
        """The line that should stand before input `index` (0-based); empty where it is not known,
        and of a session's steps."""
        reference = self.expectation.reference
        if reference is None or self.step is not None or index >= len(reference.turns):
            return ""
        return reference.turns[index].printed.rpartition("\n")[2]

    @cached_property
    def exact_return(self) -> tuple[Value, Value] | None:
        """The one value that should be returned and the one that was, where they differ."""
        mismatch = self.returns
        if mismatch is None or mismatch.actual is None:
            return None
        if not isinstance(mismatch.expected, Exactly | EqualData):
            return None
        return mismatch.expected.pair(mismatch.actual)

    @cached_property
    def first_difference(self) -> FirstDifference | None:
        """Where the returned value first differs from the expected one."""
        return None if self.exact_return is None else first_difference(*self.exact_return)

    @cached_property
    def texts(self) -> TextEdit | None:
        """The first printed text that differs, else the returned one."""
        text = self.text
        if text is not None:
            wanted, place = text.expected.exact_text, self.place(text.turn)
            if wanted is None:
                return None
            sides = self._normalised(wanted), self._normalised(text.actual)
            return TextEdit.of(*sides, place, printed=True, shown=text.shown)
        pair = self.exact_return
        if pair is None or not all(value.kind is ValueKind.STR for value in pair):
            return None
        return TextEdit.of(pair[0].text.split("\n"), pair[1].text.split("\n"), self.place())

    def _normalised(self, text: str) -> list[str]:
        """The lines of a text without what the scenario forgives."""
        return normalised(text, self.expectation.stated.ignore).split("\n")

    @cached_property
    def file_texts(self) -> TextEdit | None:
        """The first file that differs, where it should be a text and is one."""
        file = next(iter(self.files), None)
        if file is None or file.expected is None or file.actual is None:
            return None
        wanted = file.expected.exact_text
        if wanted is None or file.actual.kind is not ValueKind.STR:
            return None
        sides = self._normalised(wanted), self._normalised(file.actual.text)
        return TextEdit.of(*sides, self.place(), file=file.name)

    @property
    def all_texts(self) -> tuple[TextEdit, ...]:
        """The texts that differ: what is printed, or else returned, and the first file."""
        return tuple(texts for texts in (self.texts, self.file_texts) if texts is not None)

    @cached_property
    def expected_printed(self) -> str | None:
        """All that should be printed (by the failing step); None when that is not known."""
        reference = self.expectation.reference
        if reference is None:
            stated = self.expectation.stated.prints
            return None if stated is None else stated.exact_text
        if self.step is not None and self.step < len(reference.steps):
            return reference.steps[self.step].printed
        return reference.printed

    @property
    def expected_shown(self) -> str:
        """What the failing step of a session should show of its value where that has objects."""
        reference = self.expectation.reference
        if reference is None or self.step is None or self.step >= len(reference.steps):
            return ""
        return reference.steps[self.step].shown

    @cached_property
    def actual_printed(self) -> str:
        """All that was printed (by the failing step)."""
        steps = self.observation.steps
        if self.step is not None:
            return steps[self.step].printed if self.step < len(steps) else ""
        return self.observation.printed

    @cached_property
    def changes(self) -> tuple[ArgumentChange, ...]:
        """The arguments (or, in a session, the variables) that differ afterwards."""
        action, seen = self.stimulus.action, self.observation
        if isinstance(action, Session):
            if self.step is not None:
                return _shown_later(seen, self.expectation, action, self.step)
            if self.expectation.reference is None:
                return ()
            names = (variable.name for variable in seen.variables)
            before = {name: _before(seen, action, name, len(seen.steps)) for name in names}
        else:
            values = enumerate(seen.arguments_before)
            before = {argument_name(self.expectation, at): value for at, value in values}
        return tuple(
            _change(m.name, m.expected, value, m.actual, seen.value)
            for m in self._values(Channel.LEAVES)
            if isinstance(m.expected, Exactly)
            and m.actual is not None
            and (value := before.get(m.name)) is not None
        )

    @cached_property
    def who(self) -> str:
        """The subject of a sentence: the function's name where the stimulus calls one."""
        action = self.stimulus.action
        match action:
            case Run():
                return "the program"
            case Call():
                return _function(action.expression) or "it"
            case Session():
                source = self.step_source or (action.steps[0] if self._one_step else "")
                return _function(source) or "it"

    @property
    def _one_step(self) -> bool:
        action = self.stimulus.action
        return isinstance(action, Session) and len(action.steps) == 1

    @property
    def shown_name(self) -> str | None:
        """The variable that the failing session step only shows."""
        return _shown_name(self.step_source)

    @property
    def step_source(self) -> str:
        action = self.stimulus.action
        if self.step is None or not isinstance(action, Session):
            return ""
        return action.steps[self.step] if self.step < len(action.steps) else ""

    @property
    def _turns(self) -> tuple[Turn, ...]:
        steps = self.observation.steps
        if self.step is None:
            return self.observation.turns
        return steps[self.step].turns if self.step < len(steps) else ()

    def place(self, turn: int | None = None) -> str:
        """How a sentence says where: "After input 3 ("a1")", "In step 2 (…)", or ""."""
        parts: list[str] = []
        if self.step is not None and not self._one_step:
            parts.append(f"in step {self.step + 1} ({plain(self.step_source.strip(), limit=60)})")
        turns = self._turns
        if turn is not None and turns and turns[0].typed is not None:
            if turn == 0:
                parts.append("before the first input")
            else:
                parts.append(f"after {self.typed(turn - 1)}")
        return ", ".join(parts)

    def typed(self, index: int) -> str:
        """Input `index` (0-based) in words: `input 3 ("a1")`."""
        taken = [turn.typed for turn in self._turns if turn.typed is not None]
        if index >= len(taken):
            return f"input {index + 1}"
        one = taken[index]
        if one.key is not None:
            return f"input {index + 1} ({one.key.value})"
        return f"input {index + 1} ({quoted(one.text, limit=30) if one.text else 'only Enter'})"

    def says(self, clause: str, *, place: str | None = None, who: str | None = None) -> str:
        """One sentence: where, who, and what they do."""
        where = self.place() if place is None else place
        subject = self.who if who is None else who
        whole = f"{where}, {subject} {clause}" if where else f"{subject} {clause}"
        if where or subject == "it" or " " in subject:  # but a function's name stays as it is
            whole = whole[:1].upper() + whole[1:]
        return whole if whole.endswith((".", "?", "!")) else whole + "."


def _function(source: str) -> str | None:
    """The function that an expression (or `name = …`) calls, unless it is a built-in."""
    name = called_function(source)
    return None if name is None or hasattr(builtins, name) else name


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentChange:
    """A name's value before, as it should be afterwards, and as it is; the last two differ.

    `returned` is what the function returned. `later` is set where the value was only
    seen after further steps of a session.
    """

    name: str
    before: Value
    expected: Value
    actual: Value
    returned: Value | None
    later: bool = False

    @property
    def should_change(self) -> bool:
        return not same(self.before, self.expected)

    @property
    def did_change(self) -> bool:
        return not same(self.before, self.actual)


def _change(
    name: str,
    expected: Exactly,
    before: Value,
    actual: Value,
    returned: Value | None,
    *,
    later: bool = False,
) -> ArgumentChange:
    """Floats that are near enough to the expected ones are no change."""
    return ArgumentChange(
        name=name,
        before=expected.pair(before)[1],
        expected=expected.value,
        actual=expected.pair(actual)[1],
        returned=returned and expected.pair(returned)[1],
        later=later,
    )


def _shown_later(
    observation: Observation, expectation: Expectation, session: Session, step: int
) -> tuple[ArgumentChange, ...]:
    """A step that only shows a variable shows what an earlier call did to it."""
    reference = expectation.reference
    if reference is None:
        return ()
    if step >= min(len(session.steps), len(reference.steps)):
        return ()
    shown = step
    name = _shown_name(session.steps[step])
    while name is None and shown + 1 < min(len(session.steps), len(observation.steps)):
        # The call itself fails (it returned something else): look at what it left behind.
        shown += 1
        name = _shown_name(session.steps[shown])
    if name is None or shown >= min(len(observation.steps), len(reference.steps)):
        return ()
    before = _before(observation, session, name, shown)
    wanted, actual = reference.steps[shown].value, observation.steps[shown].value
    if before is None or wanted is None or actual is None:
        return ()
    expected = Exactly(value=wanted, within=expectation.within)
    if expected.accepts(actual):
        return ()
    returned = observation.steps[shown - 1].value if shown else None
    return (_change(name, expected, before, actual, returned, later=shown > step + 1),)


def _shown_name(source: str) -> str | None:
    source = source.strip()
    return source if source.isidentifier() else None


def _before(observation: Observation, session: Session, name: str, shown: int) -> Value | None:
    """The name's value when it was last shown or assigned as a literal."""
    for index in range(min(shown, len(session.steps), len(observation.steps)) - 1, -1, -1):
        if _shown_name(session.steps[index]) == name:
            return observation.steps[index].value
        node = _assignment(session.steps[index], name)
        if node is not None:
            return _literal(node)
    return None


def _assignment(source: str, name: str) -> ast.expr | None:
    """What a step of one assignment gives the name."""
    try:
        body = ast.parse(source.strip()).body
    except (SyntaxError, ValueError):
        return None
    if len(body) != 1 or not isinstance(body[0], ast.Assign):
        return None
    target = body[0].targets[0]
    return body[0].value if isinstance(target, ast.Name) and target.id == name else None


def _literal(node: ast.expr) -> Value | None:
    try:
        return Value.of(ast.literal_eval(node))
    except (ValueError, TypeError):
        return None
