"""What of an observation is not as expected, one mismatch each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

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
