"""Printed text and inputs taken, turn by turn; and the files of a scenario's own folder afterwards,
against what is stated and the reference's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest

from harness.judging.mismatches import Mismatch, ReadsMismatch, TextMismatch, ValueMismatch
from harness.matchers import Exactly
from harness.model.expectation import Expectation, Expected, Ignore, Matcher
from harness.model.observation import Observation, Turn
from harness.model.stimulus import Stimulus
from harness.model.values import NONE, Value, ValueKind, file_value
from harness.model.verdict import Channel


def exactly(text: str) -> Exactly:
    """The matcher of one text."""
    return Exactly(value=Value(ValueKind.STR, text))


def pieces(turns: tuple[Turn, ...]) -> list[str]:
    """What was printed before each input and after the last; an empty last turn is left out."""
    printed = [turn.printed for turn in turns]
    if turns and turns[-1].typed is None and not turns[-1].printed:
        printed.pop()
    return printed


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedTurns:
    """What each turn is compared with, and every later turn; None: it may be anything."""

    turns: tuple[Matcher | None, ...]
    others: Matcher | None

    def at(self, index: int) -> Matcher | None:
        """What the turn of this number is compared with."""
        return self.turns[index] if index < len(self.turns) else self.others


def text_mismatches(observation: Observation, expectation: Expectation) -> list[Mismatch]:
    """What was printed against what is stated, else against the reference's turns."""
    stated, reference = expectation.stated, expectation.reference
    differing: list[Mismatch] = []
    by_turn = expected_turns(expectation)
    whole = _expected_whole(stated, reference)
    if whole is not None and not whole.accepts_text(observation.printed, stated.ignore):
        differing.append(TextMismatch(expected=whole, actual=observation.printed))
    if by_turn is not None:
        differing += _turn_by_turn(pieces(observation.turns), by_turn, stated.ignore)
        if observation.reads == 0 and not expected_reads(expectation):
            differing = [
                replace(m, turn=None) if isinstance(m, TextMismatch) else m for m in differing
            ]
    if reference is None and stated.transcript is not None:
        shown = observation.transcript()
        if not exactly(stated.transcript).accepts_text(shown, stated.ignore):
            differing.append(TextMismatch(expected=exactly(stated.transcript), actual=shown))
    return differing


def _expected_whole(stated: Expected, reference: Observation | None) -> Matcher | None:
    """`prints:` where it has to be compared with the whole text.

    A plain text that the reference prints is a golden: its turns say the same, with the place.
    """
    if stated.prints is None:
        return None
    is_golden = isinstance(stated.prints, Exactly) and reference is not None
    if is_golden and reference and stated.prints.accepts_text(reference.printed, stated.ignore):
        return None
    return stated.prints


def expected_turns(expectation: Expectation) -> ExpectedTurns | None:
    """What the turns are compared with; None where only the whole text is, or nothing."""
    stated, reference = expectation.stated, expectation.reference
    replaced = stated.prints is not None and _expected_whole(stated, reference) is not None
    all_stated = stated.turns is not None and stated.turns.all_turns
    expected: list[Matcher | None] = []
    # Where the reference is not used for what is not stated, it may be anything.
    others: Matcher | None = exactly("") if all_stated else None
    if reference is not None and not replaced and not all_stated:
        expected = [exactly(text) for text in pieces(reference.turns)]
        others = exactly("")
    elif stated.turns is None:
        return None
    for turn in stated.turns.turns if stated.turns else ():
        while len(expected) <= turn.index:
            expected.append(others)
        expected[turn.index] = turn.printed
    return ExpectedTurns(turns=tuple(expected), others=others)


def _turn_by_turn(
    printed: list[str], expected: ExpectedTurns, ignore: tuple[Ignore, ...]
) -> list[Mismatch]:
    differing: list[Mismatch] = []
    for index in range(max(len(printed), len(expected.turns))):
        text = printed[index] if index < len(printed) else ""
        matcher = expected.at(index)
        if matcher is not None and not matcher.accepts_text(text, ignore):
            differing.append(TextMismatch(expected=matcher, actual=text, turn=index))
    return differing


def reads_mismatch(observation: Observation, expectation: Expectation) -> list[Mismatch]:
    """How many inputs were taken against what is stated, else against the reference."""
    most = expectation.stated.reads_at_most
    if most is not None and observation.reads > most:
        return [ReadsMismatch(expected=most, actual=observation.reads)]
    expected = expected_reads(expectation)
    if expected is None or observation.reads == expected:
        return []
    return [ReadsMismatch(expected=expected, actual=observation.reads)]


def expected_reads(expectation: Expectation) -> int | None:
    """How many inputs should be read; None when that is not known."""
    stated = expectation.stated
    if stated.reads is not None:
        return stated.reads
    if stated.reads_at_most is not None:
        return None
    if stated.turns is not None and stated.turns.all_turns:
        return max(0, len(stated.turns.turns) - 1)
    return expectation.reference.reads if expectation.reference else None


def step_text_mismatches(
    expected: tuple[Turn, ...], actual: tuple[Turn, ...], ignore: tuple[Ignore, ...], step: int
) -> list[Mismatch]:
    """One session step's printed text and inputs against the reference's."""
    differing: list[Mismatch] = []
    sides = zip_longest(pieces(expected), pieces(actual), fillvalue="")
    for index, (wanted, printed) in enumerate(sides):
        if not exactly(wanted).accepts_text(printed, ignore):
            turn = index if len(expected) > 1 or len(actual) > 1 else None
            mismatch = TextMismatch(expected=exactly(wanted), actual=printed, turn=turn, step=step)
            differing.append(mismatch)
    reads = [sum(turn.typed is not None for turn in turns) for turns in (expected, actual)]
    if reads[0] != reads[1]:
        differing.append(ReadsMismatch(expected=reads[0], actual=reads[1], step=step))
    return differing


def written_mismatches(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> list[Mismatch]:
    """Every file that differs, by name; `actual` is None for one that is not there."""
    if not stimulus.folder:
        return []
    expected = expected_files(expectation, stimulus)
    actual = {file.name: file.value for file in observation.files}
    ignore = expectation.stated.ignore
    differing: list[Mismatch] = []
    known = expected if expected is not None else _stated(expectation)
    names = {*known, *actual} if expected is not None else set(known)
    for name in sorted(names):
        matcher, value = known.get(name), actual.get(name)
        if matcher is None or not accepts(matcher, value, ignore):
            differing.append(
                ValueMismatch(channel=Channel.WRITES, expected=matcher, actual=value, name=name)
            )
    return differing


def accepts(matcher: Matcher, value: Value | None, ignore: tuple[Ignore, ...]) -> bool:
    """Whether a file is what it should be; one that is not there is None."""
    if value is not None and value.kind is ValueKind.STR:
        return matcher.accepts_text(value.text, ignore)
    return matcher.accepts(NONE if value is None else value)


def expected_files(expectation: Expectation, stimulus: Stimulus) -> dict[str, Matcher] | None:
    """What each file should be; None where only those that are stated matter."""
    stated, reference = expectation.stated, expectation.reference
    given = {file.name: file_value(file.data) for file in stimulus.files}
    made = {} if reference is None else {file.name: file.value for file in reference.files}
    if stated.writes_unchanged:
        base = given
    elif stated.writes_only is not None:
        base = given | {name: made[name] for name in stated.writes_only if name in made}
    elif reference is not None:
        base = made
    else:
        return None
    return {name: Exactly(value=value) for name, value in base.items()} | _stated(expectation)


def _stated(expectation: Expectation) -> dict[str, Matcher]:
    return {leave.name: leave.value for leave in expectation.stated.writes}
