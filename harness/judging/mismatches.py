"""What of an observation is not as expected, one mismatch each: printed text and inputs taken, turn
by turn, and files; where two values first differ.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from harness.common.escaping import plain
from harness.matchers.comparison import same
from harness.matchers.kinds.equal_to import EqualData
from harness.matchers.kinds.values import Exactly
from harness.model.expectation import Expectation, Expected, Ignore, Matcher, StatedRaise
from harness.model.observation import Ending, Observation, Phase, Raised, Turn
from harness.model.stimulus import Stimulus
from harness.model.values import NONE, Value, ValueKind, file_value
from harness.model.verdict import Channel


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfStep:
    step: int | None = None  # of a session; None: of the observation as a whole


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingMismatch(_OfStep):
    """The process ended in another way."""

    expected: Ending
    actual: Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseMismatch(_OfStep):
    """Another exception than expected; None: none."""

    expected: StatedRaise | None
    actual: Raised | None
    phase: Phase = Phase.STIMULUS  # where it was raised: elsewhere the right one is wrong too


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueMismatch(_OfStep):
    """A value differs: returned, or (LEAVES) that of the parameter or variable `name`, or (WRITES)
    the file `name`, a text as a str, or (STDERR) what was written there."""

    channel: Channel
    expected: Matcher | None  # None: there should be no value at all
    actual: Value | None
    name: str = ""

    @property
    def pair(self) -> tuple[Value, Value] | None:
        """The one value that there should be and the one that there is, where there are both."""
        if self.actual is None or not isinstance(self.expected, Exactly | EqualData):
            return None
        return self.expected.pair(self.actual)

    @property
    def wanted(self) -> str:
        """What there should be, in words."""
        return self.expected.in_words() if self.expected else "no value"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMismatch(_OfStep):
    """Printed text differs: of one turn, or all of it."""

    expected: Matcher
    actual: str
    turn: int | None = None  # None: all of it
    shown: bool = False  # by a session, of a value or, without a reference, of a whole step


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadsMismatch(_OfStep):
    """Another number of inputs was taken."""

    expected: int
    actual: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitMismatch(_OfStep):
    """The program ended with another status; None: it has none."""

    expected: int
    actual: int | None


Mismatch = (
    EndingMismatch | RaiseMismatch | ValueMismatch | TextMismatch | ReadsMismatch | ExitMismatch
)


def raise_agrees(expected: StatedRaise | None, actual: Raised | None) -> bool:
    """Whether what was raised is what should be."""
    if expected is None or actual is None:
        return expected is None and actual is None
    if not expected.allows(actual.type_name) or not has_base(expected, actual):
        return False
    text = Value(ValueKind.STR, actual.message)
    return expected.message is None or expected.message.accepts(text)


def has_base(expected: StatedRaise, actual: Raised) -> bool:
    """Whether what was raised is of the class that it should derive from, or derives from it."""
    return not expected.is_a or expected.is_a in (actual.type_name, *actual.bases)


def narrowed(mismatch: Mismatch, ignore: Collection[Ignore]) -> Mismatch:
    """The same mismatch; with the first part that fails in place of an `all_of` or `none_of`."""
    match mismatch:
        case TextMismatch(expected=expected, actual=text):
            part = expected.failing_part(lambda one: one.accepts_text(text, ignore))
            return replace(mismatch, expected=part)
        case ValueMismatch(expected=Matcher() as expected, actual=Value() as value):
            if mismatch.channel not in (Channel.WRITES, Channel.STDERR):
                part = expected.failing_part(lambda one: one.accepts(value))
                return replace(mismatch, expected=part)
        case RaiseMismatch(expected=StatedRaise(message=Matcher() as message) as stated):
            # Of another type of exception the message may well be as it should.
            if mismatch.actual is not None and stated.allows(mismatch.actual.type_name):
                said = Value(ValueKind.STR, mismatch.actual.message)
                part = message.failing_part(lambda one: one.accepts(said))
                return replace(mismatch, expected=replace(stated, message=part))
    return mismatch


DEEPEST = 12  # no reader follows a path further in, and a hostile value may be a tower of lists
_SEQUENCES = frozenset({ValueKind.LIST, ValueKind.TUPLE})
_KEYED = frozenset({ValueKind.DICT, ValueKind.OBJECT})


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstDifference:
    """The first place where two values differ. `path` is "[3].owner"; None is a missing item, of a
    `holder` of this kind."""

    path: str
    expected: Value | None
    actual: Value | None
    holder: ValueKind | None = None

    @property
    def named(self) -> str:
        """What differs in words: "item [3].owner", of an object itself "attribute owner"."""
        return f"attribute {self.path[1:]}" if self.path[:1] == "." else f"item {self.path}"


def first_difference(expected: Value, actual: Value) -> FirstDifference:
    """The innermost first place where two values that are not the same differ."""
    path = ""
    for _ in range(DEEPEST):
        if expected.kind is not actual.kind or expected.text != actual.text:
            break
        if expected.kind in _KEYED:
            key = _first_key(expected, actual)
            if key is None:
                break
            named = expected.kind is ValueKind.OBJECT
            left, right = _at(expected, key), _at(actual, key)
            has_name = not named or key.text  # else it is the object's content
            if has_name:
                path += f".{plain(key.text, limit=60)}" if named else f"[{key.source(60)}]"
            if left is None or right is None:
                if not has_name:
                    break
                return FirstDifference(path=path, expected=left, actual=right, holder=expected.kind)
            expected, actual = left, right
            continue
        if expected.kind not in _SEQUENCES:
            break
        index = first_differing(expected.items, actual.items)
        path += f"[{index}]"
        left = expected.items[index] if index < len(expected.items) else None
        right = actual.items[index] if index < len(actual.items) else None
        if left is None or right is None:
            return FirstDifference(path=path, expected=left, actual=right)
        expected, actual = left, right
    return FirstDifference(path=path, expected=expected, actual=actual)


def _first_key(expected: Value, actual: Value) -> Value | None:
    """The first attribute or key that differs; None where the keys are the same."""
    for key in (*expected.items[::2], *actual.items[::2]):
        left, right = _at(expected, key), _at(actual, key)
        if left is None or right is None or not same(left, right):
            return key
    return None


def _at(value: Value, key: Value) -> Value | None:
    pairs = zip(value.items[::2], value.items[1::2], strict=False)
    return next((part for name, part in pairs if same(name, key)), None)


def first_differing(expected: tuple[Value, ...], actual: tuple[Value, ...]) -> int:
    """The index of the first items that are not the same; that of the first without a partner."""
    for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
        if not same(left, right):
            return index
    return min(len(expected), len(actual))


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


def text_mismatches(observation: Observation, expectation: Expectation) -> Iterator[TextMismatch]:
    """What was printed against what is stated, else against the reference's turns."""
    stated, reference = expectation.stated, expectation.reference
    by_turn = expected_turns(expectation)
    whole = _expected_whole(stated, reference)
    if whole is not None and not whole.accepts_text(observation.printed, stated.ignore):
        yield TextMismatch(expected=whole, actual=observation.printed)
    if by_turn is not None:
        is_one = observation.reads == 0 and not expected_reads(expectation)
        printed = pieces(observation.turns)
        for index in range(max(len(printed), len(by_turn.turns))):
            text = printed[index] if index < len(printed) else ""
            matcher = by_turn.at(index)
            if matcher is not None and not matcher.accepts_text(text, stated.ignore):
                yield TextMismatch(expected=matcher, actual=text, turn=None if is_one else index)
    if reference is None and stated.transcript is not None:
        shown = observation.transcript()
        if not exactly(stated.transcript).accepts_text(shown, stated.ignore):
            yield TextMismatch(expected=exactly(stated.transcript), actual=shown)


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


def stderr_mismatch(observation: Observation, stated: Expected) -> Iterator[ValueMismatch]:
    """What was written to stderr, where that is stated, and known: it is of a program that ends."""
    expected, text = stated.stderr, observation.stderr
    if expected is None or text is None or expected.accepts_text(text, stated.ignore):
        return
    actual = Value(ValueKind.STR, text)
    yield ValueMismatch(channel=Channel.STDERR, expected=expected, actual=actual, name="stderr")


def reads_mismatch(observation: Observation, expectation: Expectation) -> Iterator[Mismatch]:
    """How many inputs were taken against what is stated, else against the reference."""
    most = expectation.stated.reads_at_most
    is_too_much = most is not None and observation.reads > most
    expected = most if is_too_much else expected_reads(expectation)
    if expected is not None and observation.reads != expected:
        yield ReadsMismatch(expected=expected, actual=observation.reads)


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
) -> Iterator[Mismatch]:
    """One session step's printed text and inputs against the reference's."""
    sides = zip_longest(pieces(expected), pieces(actual), fillvalue="")
    for index, (wanted, printed) in enumerate(sides):
        if not exactly(wanted).accepts_text(printed, ignore):
            turn = index if len(expected) > 1 or len(actual) > 1 else None
            yield TextMismatch(expected=exactly(wanted), actual=printed, turn=turn, step=step)
    reads = [sum(turn.typed is not None for turn in turns) for turns in (expected, actual)]
    if reads[0] != reads[1]:
        yield ReadsMismatch(expected=reads[0], actual=reads[1], step=step)


def written_mismatches(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> Iterator[ValueMismatch]:
    """Every file that differs, by name; `actual` is None for one that is not there."""
    if not stimulus.folder:
        return
    every = expected_files(expectation, stimulus)
    expected = _stated(expectation) if every is None else every
    actual = {file.name: file.value for file in observation.files}
    for name in sorted(expected if every is None else {*expected, *actual}):
        matcher, value = expected.get(name), actual.get(name)
        if matcher is not None and value is not None and value.kind is ValueKind.STR:
            is_right = matcher.accepts_text(value.text, expectation.stated.ignore)
        else:
            is_right = matcher is not None and matcher.accepts(value or NONE)
        if not is_right:
            yield ValueMismatch(channel=Channel.WRITES, expected=matcher, actual=value, name=name)


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
