"""What of an observation is not as expected, one mismatch each; where two values first differ."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from harness.common.escaping import plain
from harness.matchers import same
from harness.model.expectation import Ignore, Matcher, StatedRaise
from harness.model.observation import Ending, Phase, Raised
from harness.model.values import Value, ValueKind
from harness.model.verdict import Channel


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingMismatch:
    """The process ended in another way."""

    expected: Ending
    actual: Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseMismatch:
    """Another exception than expected; None: none. `phase` is where it was raised: outside
    `STIMULUS` the right one is wrong too."""

    expected: StatedRaise | None
    actual: Raised | None
    step: int | None = None
    phase: Phase = Phase.STIMULUS


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueMismatch:
    """A value differs: returned, or (LEAVES) that of the parameter or variable `name`, or (WRITES)
    the file `name`, a text as a str.

    `expected` is None where there should be no value at all, `actual` where there is none.
    """

    channel: Channel
    expected: Matcher | None
    actual: Value | None
    name: str = ""
    step: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMismatch:
    """Printed text differs: of one turn, or all of it (`turn` is None). `shown`: it is what a
    session shows of a value, or, without a reference, of a whole step."""

    expected: Matcher
    actual: str
    turn: int | None = None
    step: int | None = None
    shown: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadsMismatch:
    """Another number of inputs was taken."""

    expected: int
    actual: int
    step: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitMismatch:
    """The program ended with another status; None: it has none."""

    expected: int
    actual: int | None


Mismatch = (
    EndingMismatch | RaiseMismatch | ValueMismatch | TextMismatch | ReadsMismatch | ExitMismatch
)


def step_of(mismatch: Mismatch) -> int | None:
    """The session step a mismatch belongs to; None for the observation as a whole."""
    if isinstance(mismatch, EndingMismatch | ExitMismatch):
        return None
    return mismatch.step


def raise_agrees(expected: StatedRaise | None, actual: Raised | None) -> bool:
    """Whether what was raised is what should be."""
    if expected is None or actual is None:
        return expected is None and actual is None
    if not expected.allows(actual.type_name) or not has_base(expected, actual):
        return False
    text = Value(ValueKind.STR, actual.message)
    return expected.message is None or expected.message.accepts(text)


def has_base(expected: StatedRaise, actual: Raised) -> bool:
    """Whether what was raised derives from the builtin class that it should derive from."""
    return not expected.is_a or expected.is_a in (actual.type_name, *actual.bases)


def narrowed(mismatch: Mismatch, ignore: Collection[Ignore]) -> Mismatch:
    """The same mismatch; with the first part that fails in place of an `all_of` or `none_of`."""
    if isinstance(mismatch, TextMismatch):
        text = mismatch.actual
        part = mismatch.expected.failing_part(lambda one: one.accepts_text(text, ignore))
        return replace(mismatch, expected=part)
    if isinstance(mismatch, ValueMismatch):
        value = mismatch.actual
        if mismatch.expected is None or value is None or mismatch.channel is Channel.WRITES:
            return mismatch
        part = mismatch.expected.failing_part(lambda one: one.accepts(value))
        return replace(mismatch, expected=part)
    if isinstance(mismatch, RaiseMismatch):
        return _raise(mismatch)
    return mismatch


def _raise(mismatch: RaiseMismatch) -> RaiseMismatch:
    expected, actual = mismatch.expected, mismatch.actual
    if expected is None or expected.message is None or actual is None:
        return mismatch
    if not expected.allows(actual.type_name):
        return mismatch  # its message may well be as it should
    text = Value(ValueKind.STR, actual.message)
    part = expected.message.failing_part(lambda one: one.accepts(text))
    return replace(mismatch, expected=replace(expected, message=part))


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
        index = _first_differing(expected.items, actual.items)
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


def _first_differing(expected: tuple[Value, ...], actual: tuple[Value, ...]) -> int:
    for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
        if not same(left, right):
            return index
    return min(len(expected), len(actual))
