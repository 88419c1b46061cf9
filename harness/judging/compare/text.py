"""Compares the printed text, turn by turn or as a whole, and the text on stderr."""

from collections.abc import Iterator
from dataclasses import dataclass

from harness.judging.compare.mismatch import TextMismatch, ValueMismatch
from harness.judging.compare.reads import expected_reads
from harness.matchers.kinds.combinations import ALine, AllOf, LastLine
from harness.matchers.kinds.values import Exactly, exactly
from harness.model.expectation import Expectation, Expected, Matcher, TextRules
from harness.model.observation import Observation, Turn
from harness.model.values import Value, ValueKind
from harness.model.verdict import Channel


def pieces(turns: tuple[Turn, ...]) -> list[str]:
    """Return the output before each input, followed by the output after the last input unless that
    is empty.
    """
    printed = [turn.printed for turn in turns]
    if turns and turns[-1].typed is None and not turns[-1].printed:
        printed.pop()
    return printed


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedTurns:
    """The expected text of each turn (the output before an input); None accepts any text."""

    turns: tuple[Matcher | None, ...]
    others: Matcher | None  # the expected text of all later turns

    def at(self, index: int) -> Matcher | None:
        if index < len(self.turns):
            return self.turns[index]
        return self.others

    def mismatches(
        self, turns: tuple[Turn, ...], rules: TextRules, *, is_one: bool
    ) -> Iterator[TextMismatch]:
        """Yield the turns that differ. `is_one` means that no input interrupts the text."""
        printed = pieces(turns)
        missing = len(self.turns) - len(printed)
        printed += [""] * missing
        for index, text in enumerate(printed):
            matcher = self.at(index)
            if matcher is None or matcher.accepts_text(text, rules):
                continue
            turn: int | None = index
            if is_one:
                turn = None
            yield TextMismatch(expected=matcher, actual=text, turn=turn)


def text_mismatches(observation: Observation, expectation: Expectation) -> Iterator[TextMismatch]:
    """Yield the differences of the printed text from the stated text or, if none is stated, from
    the reference's turns.
    """
    stated, whole = expectation.stated, _expected_whole(expectation)
    by_turn = expected_turns(expectation)
    if whole is not None and not accepts_printed(whole, observation, stated.rules):
        yield TextMismatch(expected=whole, actual=observation.printed)
    if by_turn is not None:
        is_one = observation.reads == 0 and not expected_reads(expectation)
        yield from by_turn.mismatches(observation.turns, stated.rules, is_one=is_one)
    if expectation.reference is None and stated.transcript is not None:
        expected, shown = exactly(stated.transcript), observation.transcript()
        if not expected.accepts_text(shown, stated.rules):
            yield TextMismatch(expected=expected, actual=shown)


def differs_before_a_read(observation: Observation, expectation: Expectation) -> bool:
    """Return whether an output followed by an input is wrong.

    Such an output is complete even if the run was ended early.
    """
    by_turn = expected_turns(expectation)
    if by_turn is None:
        return False
    for index, turn in enumerate(observation.turns):
        matcher = by_turn.at(index)
        if turn.typed is None or matcher is None:
            continue
        if not matcher.accepts_text(turn.printed, expectation.stated.rules):
            return True
    return False


def accepts_printed(matcher: Matcher, observation: Observation, rules: TextRules) -> bool:
    """Return whether the matcher accepts the whole printed text.

    For a matcher of lines, a prompt and the text printed after the input count both as one line (as
    printed) and as two (as seen on the terminal, after Enter).
    """
    if matcher.accepts_text(observation.printed, rules):
        return True
    if not _is_about_lines(matcher):
        return False
    printed = [turn.printed for turn in observation.turns]
    return matcher.accepts_text("\n".join(printed), rules)


def _is_about_lines(matcher: Matcher) -> bool:
    if isinstance(matcher, AllOf):
        return any(_is_about_lines(part) for part in matcher.matchers)
    return isinstance(matcher, ALine | LastLine)


def _expected_whole(expectation: Expectation) -> Matcher | None:
    """Return the matcher of `prints:`.

    Return None if it is exactly the reference's output: then single turns are compared instead,
    which also tells which turn differs.
    """
    stated, reference = expectation.stated, expectation.reference
    prints = stated.prints
    if reference is None or not isinstance(prints, Exactly):
        return prints
    if prints.accepts_text(reference.printed, stated.rules):
        return None
    return prints


def expected_turns(expectation: Expectation) -> ExpectedTurns | None:
    """Return the expected text of each turn; None if turns are not compared one by one.

    Turns that the scenario does not state are taken from the reference, unless it has `prints:` or
    `all_turns`. A turn that is None in the result is not compared.
    """
    stated, reference = expectation.stated, expectation.reference
    all_stated = stated.turns is not None and stated.turns.all_turns
    expected: list[Matcher | None] = []
    others: Matcher | None = None
    if all_stated:
        others = exactly("")
    elif reference is not None and _expected_whole(expectation) is None:
        expected = [exactly(text) for text in pieces(reference.turns)]
        others = exactly("")
    elif stated.turns is None:
        return None
    if stated.turns is not None:
        for turn in stated.turns.turns:
            while len(expected) <= turn.index:
                expected.append(others)
            expected[turn.index] = turn.printed
    return ExpectedTurns(turns=tuple(expected), others=others)


def stderr_mismatch(observation: Observation, stated: Expected) -> Iterator[ValueMismatch]:
    """Yield a mismatch if stderr differs from the stated text.

    Stderr is only known for programs that ended.
    """
    expected, text = stated.stderr, observation.stderr
    if expected is None or text is None or expected.accepts_text(text, stated.rules):
        return
    actual = Value(ValueKind.STR, text)
    yield ValueMismatch(channel=Channel.STDERR, expected=expected, actual=actual, name="stderr")
