"""Stage 4, select: which of a student's attempts is graded, the latest one in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from harness.intake.cohort.times import instant, shown
from harness.intake.files.uploads import Attempt, StudentUploads
from harness.model.submission import Withheld


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What one student is held to; `extended` where it is not the class's. No `at`: nothing."""

    at: datetime | None = None
    extended: bool = False


NO_DUE = Due()


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedAttempt:
    """The attempt that counts, its number among `of`, and why it is not graded, if it is not."""

    attempt: Attempt
    number: int
    of: int
    withheld: Withheld | None = None
    notes: tuple[str, ...] = ()


def select_attempt(uploads: StudentUploads, due: Due) -> SelectedAttempt | None:
    """The latest attempt in time; None where there is no attempt.

    Where none is in time, the last one, withheld as late; where that cannot be told, the last one
    for a person to look at, and why.
    """
    if not uploads.attempts:
        return None
    attempts = sorted(uploads.attempts, key=_order)
    of = max(len(attempts) + len(uploads.elsewhere), *(a.number or 0 for a in attempts))
    in_time = [_in_time(attempt, due) for attempt in attempts]
    wanted = [index for index, is_in_time in enumerate(in_time) if is_in_time]
    index = wanted[-1] if wanted else len(attempts) - 1
    attempt = attempts[index]
    missing = sum(instant(at) < _instant(attempt) for at in uploads.elsewhere)
    number = attempt.number or index + 1 + missing
    if uploads.doubt:
        return _review(attempt, number, of, uploads.doubt)
    rivals = [a for a in attempts if a is not attempt and _order(a) == _order(attempt)]
    if rivals and (wanted or due.at is None):
        return _review(attempt, number, of, "of two attempts nothing tells which is the later")
    if wanted:
        return SelectedAttempt(
            attempt=attempt, number=number, of=of, notes=_remarks(attempts, index, due)
        )
    assert due.at is not None
    if None in in_time:
        why = "it is marked late, and its download has no time to compare with the extension"
        if attempt.late is None:
            why = "nothing says when it was handed in"
        return _review(attempt, number, of, why)
    if early := [at for at in uploads.elsewhere if instant(at) <= instant(due.at)]:
        why = (
            f"the attempt of {shown(max(early, key=instant))} was in time, but this export holds "
            "only a later one"
        )
        return _review(attempt, number, of, why)
    when = f"handed in {shown(attempt.at)}" if attempt.at else "marked late by its platform"
    note = f"{when}, due {shown(due.at)}"
    return SelectedAttempt(
        attempt=attempt, number=number, of=of, withheld=Withheld.LATE, notes=(note,)
    )


def _remarks(attempts: Sequence[Attempt], index: int, due: Due) -> tuple[str, ...]:
    """What is worth knowing of an attempt that is graded."""
    if due.at is None:
        return ("marked late by its platform",) if attempts[index].late else ()
    later = len(attempts) - 1 - index
    return (f"{later} later attempt{'s' * (later > 1)} came in after the due time",) * bool(later)


def _review(attempt: Attempt, number: int, of: int, why: str) -> SelectedAttempt:
    return SelectedAttempt(
        attempt=attempt, number=number, of=of, withheld=Withheld.NEEDS_REVIEW, notes=(why,)
    )


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
