"""What is not as expected in an observation (`Mismatch`), and where two values first differ."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from harness.common.escaping import plain
from harness.matchers.comparison import same
from harness.matchers.kinds.equal_to import EqualData
from harness.matchers.kinds.values import Exactly
from harness.model.expectation import Expectation, Expected, Ignore, Matcher, StatedRaise
from harness.model.observation import Ending, Observation, Phase, Raised, Turn
from harness.model.stimulus import Stimulus
from harness.model.values import KEYED, NONE, SEQUENCES, Value, ValueKind, file_value
from harness.model.verdict import Channel


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
    """Another exception than expected (None: no exception)."""

    expected: StatedRaise | None
    actual: Raised | None
    phase: Phase = Phase.STIMULUS  # when it was raised; the expected one is wrong in any other


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueMismatch(_AnyMismatch):
    """A value differs: the one returned, that of the parameter or variable `name` (LEAVES), the
    content of the file `name` (WRITES; a str if it is text), or the text on stderr (STDERR)."""

    channel: Channel
    expected: Matcher | None  # None: there should be no value at all
    actual: Value | None
    name: str = ""

    @property
    def pair(self) -> tuple[Value, Value] | None:
        """The expected value, if there is only one, and the actual one; None without either."""
        if self.actual is None or not isinstance(self.expected, Exactly | EqualData):
            return None
        return self.expected.pair(self.actual)

    @property
    def words(self) -> str:
        """What is expected, in words."""
        return self.expected.in_words() if self.expected else "no value"


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


Mismatch = (
    EndingMismatch | RaiseMismatch | ValueMismatch | TextMismatch | ReadsMismatch | ExitMismatch
)


def raise_agrees(expected: StatedRaise | None, actual: Raised | None) -> bool:
    """Whether what was raised is what should be."""
    if expected is None or actual is None:
        return expected is None and actual is None
    said, text = expected.message, Value(ValueKind.STR, actual.message)
    is_right = expected.allows(actual.type_name) and has_base(expected, actual)
    return is_right and (said is None or said.accepts(text))


def has_base(expected: StatedRaise, actual: Raised) -> bool:
    """Whether what was raised is of the class that it should derive from, or derives from it."""
    return not expected.is_a or expected.is_a in (actual.type_name, *actual.bases)


def narrowed(mismatch: Mismatch, ignore: Collection[Ignore]) -> Mismatch:
    """The same mismatch, with the first part that fails in place of an `all_of` or `none_of`."""
    match mismatch:
        case TextMismatch(expected=expected, actual=text):
            part = expected.failing_part(lambda one: one.accepts_text(text, ignore))
            return replace(mismatch, expected=part)
        case ValueMismatch(expected=Matcher() as expected, actual=Value() as value):
            if mismatch.channel not in (Channel.WRITES, Channel.STDERR):
                part = expected.failing_part(lambda one: one.accepts(value))
                return replace(mismatch, expected=part)
        case RaiseMismatch(expected=StatedRaise(message=Matcher() as message) as stated):
            # An exception of another type may well have the expected message.
            if mismatch.actual is not None and stated.allows(mismatch.actual.type_name):
                said = Value(ValueKind.STR, mismatch.actual.message)
                part = message.failing_part(lambda one: one.accepts(said))
                return replace(mismatch, expected=replace(stated, message=part))
    return mismatch


DEEPEST = 12  # no reader follows a longer path, and a hostile value may be nested without end


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstDifference:
    """The first place where two values differ."""

    path: str  # as in "[3].owner"
    expected: Value | None  # None: it has no such item, as `actual`
    actual: Value | None
    holder: ValueKind | None = None  # what has no such item, if it is a dictionary or an object

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
        holder: ValueKind | None = None
        left: Value | None
        right: Value | None
        if expected.kind in KEYED:
            holder = expected.kind
            key = _first_key(expected, actual)
            if key is None:
                break
            left, right = _at(expected, key), _at(actual, key)
            if holder is ValueKind.DICT:
                step = f"[{key.source(60)}]"
            elif key.text:
                step = f".{plain(key.text, limit=60)}"
            elif left is None or right is None:
                break
            else:
                step = ""  # what an object holds besides its attributes
        elif expected.kind in SEQUENCES:
            index = first_differing(expected.items, actual.items)
            step = f"[{index}]"
            left = expected.items[index] if index < len(expected.items) else None
            right = actual.items[index] if index < len(actual.items) else None
        else:
            break
        path += step
        if left is None or right is None:
            return FirstDifference(path=path, expected=left, actual=right, holder=holder)
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
    """The index of the first items that differ, else of the first item that one side lacks."""
    pairs = enumerate(zip(expected, actual, strict=False))
    shorter = min(len(expected), len(actual))
    return next((index for index, pair in pairs if not same(*pair)), shorter)


def exactly(text: str) -> Exactly:
    """The matcher of one text."""
    return Exactly(value=Value(ValueKind.STR, text))


def pieces(turns: tuple[Turn, ...]) -> list[str]:
    """What was printed before each input, and after the last one if that is not empty."""
    printed = [turn.printed for turn in turns]
    if turns and turns[-1].typed is None and not turns[-1].printed:
        printed.pop()
    return printed


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedTurns:
    """What each turn is compared with; None: it may be anything."""

    turns: tuple[Matcher | None, ...]
    others: Matcher | None  # what every turn after these is compared with

    def at(self, index: int) -> Matcher | None:
        return self.turns[index] if index < len(self.turns) else self.others

    def mismatches(
        self, turns: tuple[Turn, ...], ignore: tuple[Ignore, ...], *, is_one: bool
    ) -> Iterator[TextMismatch]:
        """Of these turns; `is_one`: of a text that no input interrupts."""
        printed = pieces(turns)
        for index in range(max(len(printed), len(self.turns))):
            text = printed[index] if index < len(printed) else ""
            matcher = self.at(index)
            if matcher is not None and not matcher.accepts_text(text, ignore):
                yield TextMismatch(expected=matcher, actual=text, turn=None if is_one else index)


def text_mismatches(observation: Observation, expectation: Expectation) -> Iterator[TextMismatch]:
    """Where the printed text differs from what is stated, or else from the reference's turns."""
    stated, whole = expectation.stated, _expected_whole(expectation)
    by_turn = expected_turns(expectation)
    if whole is not None and not whole.accepts_text(observation.printed, stated.ignore):
        yield TextMismatch(expected=whole, actual=observation.printed)
    if by_turn is not None:
        is_one = observation.reads == 0 and not expected_reads(expectation)
        yield from by_turn.mismatches(observation.turns, stated.ignore, is_one=is_one)
    if expectation.reference is None and stated.transcript is not None:
        expected, shown = exactly(stated.transcript), observation.transcript()
        if not expected.accepts_text(shown, stated.ignore):
            yield TextMismatch(expected=expected, actual=shown)


def _expected_whole(expectation: Expectation) -> Matcher | None:
    """`prints:`, unless the reference prints exactly this text: then its turns are compared, which
    also tells where the text differs."""
    prints, ignore = expectation.stated.prints, expectation.stated.ignore
    reference = expectation.reference
    if isinstance(prints, Exactly) and reference and prints.accepts_text(reference.printed, ignore):
        return None
    return prints


def expected_turns(expectation: Expectation) -> ExpectedTurns | None:
    """What the turns are compared with; None if single turns are not compared. A turn that is not
    stated is the reference's, unless `prints:` or `all_turns` takes its place."""
    stated, reference = expectation.stated, expectation.reference
    all_stated = stated.turns is not None and stated.turns.all_turns
    expected: list[Matcher | None] = []
    others: Matcher | None = exactly("") if all_stated else None
    if reference is not None and not all_stated and _expected_whole(expectation) is None:
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
    """Where stderr differs from what is stated. It is known only of a program that ended."""
    expected, text = stated.stderr, observation.stderr
    if expected is None or text is None or expected.accepts_text(text, stated.ignore):
        return
    actual = Value(ValueKind.STR, text)
    yield ValueMismatch(channel=Channel.STDERR, expected=expected, actual=actual, name="stderr")


def reads_mismatch(observation: Observation, expectation: Expectation) -> Iterator[Mismatch]:
    """Where the number of inputs differs from what is stated, or else from the reference's."""
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
    """Where a session step's printed text and inputs differ from the reference's."""
    turns = ExpectedTurns(turns=tuple(map(exactly, pieces(expected))), others=exactly(""))
    for mismatch in turns.mismatches(actual, ignore, is_one=max(len(expected), len(actual)) <= 1):
        yield replace(mismatch, step=step)
    wanted_reads, reads = (sum(turn.typed is not None for turn in t) for t in (expected, actual))
    if wanted_reads != reads:
        yield ReadsMismatch(expected=wanted_reads, actual=reads, step=step)


def written_mismatches(
    observation: Observation, expectation: Expectation, stimulus: Stimulus
) -> Iterator[ValueMismatch]:
    """Every file that differs, by name; `actual` is None for one that is not there."""
    if not stimulus.folder:
        return
    all_files = expected_files(expectation, stimulus)
    expected = _stated_files(expectation) if all_files is None else all_files
    actual = {file.name: file.value for file in observation.files}
    for name in sorted(expected if all_files is None else {*expected, *actual}):
        matcher, value = expected.get(name), actual.get(name)
        if matcher is not None and value is not None and value.kind is ValueKind.STR:
            is_right = matcher.accepts_text(value.text, expectation.stated.ignore)
        else:
            is_right = matcher is not None and matcher.accepts(value or NONE)
        if not is_right:
            yield ValueMismatch(channel=Channel.WRITES, expected=matcher, actual=value, name=name)


def expected_files(expectation: Expectation, stimulus: Stimulus) -> dict[str, Matcher] | None:
    """What each file should be; None if only those that are stated are compared."""
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
    return {name: Exactly(value=value) for name, value in base.items()} | _stated_files(expectation)


def _stated_files(expectation: Expectation) -> dict[str, Matcher]:
    return {leave.name: leave.value for leave in expectation.stated.writes}
