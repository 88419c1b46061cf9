"""Stage 4, select: which of a student's attempts is graded, the latest one in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from harness.intake.terms import Due, instant, shown
from harness.intake.uploads import Attempt, StudentUploads
from harness.model.submission import Withheld


def select_attempt(uploads: StudentUploads) -> Attempt | None:
    """The latest attempt in time, with its number among `of`; None where there is no attempt.

    Where none is in time, the last one, withheld as late; where that cannot be told, the last one
    for a person to look at, and why.
    """
    if not uploads.attempts:
        return None
    due = uploads.due
    attempts = sorted(uploads.attempts, key=_order)
    of = max(len(attempts) + len(uploads.elsewhere), *(a.number or 0 for a in attempts))
    in_time = [_in_time(attempt, due) for attempt in attempts]
    latest = [index for index, is_in_time in enumerate(in_time) if is_in_time]
    index = latest[-1] if latest else len(attempts) - 1
    attempt = attempts[index]
    missing = sum(instant(at) < _instant(attempt) for at in uploads.elsewhere)
    selected = replace(attempt, number=attempt.number or index + 1 + missing, of=of)
    if uploads.doubt:
        return _review(selected, uploads.doubt)
    rivals = [a for a in attempts if a is not attempt and _order(a) == _order(attempt)]
    if rivals and (latest or due.at is None):
        return _review(selected, "of two attempts nothing tells which is the later")
    if latest:
        return replace(selected, notes=_remarks(attempts, index, due))
    assert due.at is not None
    if None in in_time:
        why = "it is marked late, and its download has no time to compare with the extension"
        if attempt.late is None:
            why = "nothing says when it was handed in"
        return _review(selected, why)
    if early := [at for at in uploads.elsewhere if instant(at) <= instant(due.at)]:
        why = (
            f"the attempt of {shown(max(early, key=instant))} was in time, but this export holds "
            "only a later one"
        )
        return _review(selected, why)
    when = f"handed in {shown(attempt.at)}" if attempt.at else "marked late by its platform"
    note = f"{when}, due {shown(due.at)}"
    return replace(selected, withheld=Withheld.LATE, notes=(note,))


def _remarks(attempts: Sequence[Attempt], index: int, due: Due) -> tuple[str, ...]:
    """What is worth knowing of an attempt that is graded."""
    if due.at is None:
        return ("marked late by its platform",) if attempts[index].late else ()
    later = len(attempts) - 1 - index
    return (f"{later} later attempt{'s' * (later > 1)} came in after the due time",) * bool(later)


def _review(attempt: Attempt, why: str) -> Attempt:
    return replace(attempt, withheld=Withheld.NEEDS_REVIEW, notes=(why,))


def _in_time(attempt: Attempt, due: Due) -> bool | None:
    """None where nothing tells. Canvas says late by its own due time, so that of an extension only
    that an attempt was in time all the same can be told."""
    if due.at is None:
        return True
    if attempt.at is not None:
        return instant(attempt.at) <= instant(due.at)
    if attempt.late is None or (attempt.late and due.extended):
        return None
    return not attempt.late


def _instant(attempt: Attempt) -> datetime:
    return instant(attempt.at) if attempt.at else instant(datetime.min)


def _order(attempt: Attempt) -> tuple[datetime, int]:
    return _instant(attempt), attempt.number or 0
