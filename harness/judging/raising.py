"""When two exceptions are the same: by type, and by message only where a scenario states it."""

from __future__ import annotations

from harness.judging.matching import meets
from harness.model.expectation import StatedRaise
from harness.model.observation import Raised
from harness.model.values import Value, ValueKind


def raise_agrees(expected: StatedRaise | None, actual: Raised | None) -> bool:
    """Whether what was raised is what should be."""
    if expected is None or actual is None:
        return expected is None and actual is None
    if expected.type_name != actual.type_name:
        return False
    text = Value(ValueKind.STR, actual.message)
    return expected.message is None or meets(text, expected.message)
