"""Of a combined matcher only the part that is not met: what an explanation is about."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from harness.judging.matching import failing_part, meets, meets_text
from harness.judging.mismatches import Mismatch, RaiseMismatch, TextMismatch, ValueMismatch
from harness.model.expectation import Ignore
from harness.model.values import Value, ValueKind


def narrowed(mismatch: Mismatch, ignore: Collection[Ignore]) -> Mismatch:
    """The same mismatch; `all_of` and `none_of` give way to their first part that fails."""
    if isinstance(mismatch, TextMismatch):
        text = mismatch.actual
        part = failing_part(mismatch.expected, lambda one: meets_text(text, one, ignore))
        return replace(mismatch, expected=part)
    if isinstance(mismatch, ValueMismatch):
        value = mismatch.actual
        if mismatch.expected is None or value is None:
            return mismatch
        return replace(
            mismatch, expected=failing_part(mismatch.expected, lambda one: meets(value, one))
        )
    if isinstance(mismatch, RaiseMismatch):
        return _raise(mismatch)
    return mismatch


def _raise(mismatch: RaiseMismatch) -> RaiseMismatch:
    expected, actual = mismatch.expected, mismatch.actual
    if expected is None or expected.message is None or actual is None:
        return mismatch
    if expected.type_name != actual.type_name:
        return mismatch  # its message may well be as it should
    text = Value(ValueKind.STR, actual.message)
    part = failing_part(expected.message, lambda one: meets(text, one))
    return replace(mismatch, expected=replace(expected, message=part))
