"""A sample's verdict from its draws' verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.model.verdict import Verdict, VerdictKind

# A failure that was seen comes before one that was only cut short, and before a fault of ours.
_LAST = (VerdictKind.STOPPED_EARLY, VerdictKind.HARNESS_ERROR)


def combine(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict for a sample: the smallest failing draw's, with how many failed.

    `verdicts` are in the order of the draws, smallest first, and not empty (ValueError).
    """
    if not verdicts:
        raise ValueError("a sample has at least one draw")
    failing = [index for index, verdict in enumerate(verdicts) if not verdict.passed]
    if not failing:
        return replace(verdicts[0], draws_run=len(verdicts))
    first = min(failing, key=lambda index: (verdicts[index].kind in _LAST, index))
    if verdicts[first].kind in _LAST:
        first = max(failing, key=lambda index: (_LAST.index(verdicts[index].kind), -index))
    faults = sum(verdicts[index].kind is VerdictKind.HARNESS_ERROR for index in failing)
    return replace(
        verdicts[first],
        draw=first,
        draws_failed=len(failing) - faults,
        draws_run=len(verdicts),
    )
