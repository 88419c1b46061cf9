"""What of an observation is not as expected, one fact each: the raw matter of an explanation."""

from __future__ import annotations

from dataclasses import dataclass

from harness.model.expectation import Matcher, StatedRaise
from harness.model.observation import Ending, Raised
from harness.model.values import Value
from harness.model.verdict import Channel


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingMismatch:
    """The process ended in another way."""

    expected: Ending
    actual: Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseMismatch:
    """Another exception than expected; None: none."""

    expected: StatedRaise | None
    actual: Raised | None
    step: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueMismatch:
    """A value differs: returned, or (LEAVES) that of the parameter or variable `name`.

    `expected` is None where there should be no value at all, `actual` where there is none.
    """

    channel: Channel
    expected: Matcher | None
    actual: Value | None
    name: str = ""
    step: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMismatch:
    """Printed text differs: of one turn, or all of it (`turn` is None)."""

    expected: Matcher
    actual: str
    turn: int | None = None
    step: int | None = None


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
