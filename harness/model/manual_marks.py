"""What people give beside what the harness found: marks for slots, adjustments, comments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from harness.model.result import Adjustment, SubmissionResult


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotMark:
    """A mark for the manual slot of this id."""

    slot: str
    mark: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class ByHand:
    """All that a person gave one submission of `assignment` (its id). `source_digest` is of the
    bytes that were read."""

    marks: tuple[SlotMark, ...] = ()
    adjustment: Adjustment | None = None
    comment: str = ""
    source_digest: str = ""
    assignment: str = ""


def joined(result: SubmissionResult, given: ByHand) -> SubmissionResult:
    """The result with what a person gave it. A slot that the assignment no longer has is left
    out; marks that were given for other bytes stand, with a note that says so."""
    marks = {entry.slot: entry.mark for entry in given.marks}
    manual = tuple(replace(part, mark=marks.get(part.slot.id)) for part in result.manual)
    notes = result.notes
    if given.source_digest not in ("", result.source_digest):
        notes = (*notes, "what a person gave was given for an earlier version of these files")
    return replace(
        result, manual=manual, adjustment=given.adjustment, comment=given.comment, notes=notes
    )
