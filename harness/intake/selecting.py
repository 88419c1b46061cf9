"""Stage 4, select: which of a student's attempts is graded."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from harness.common.words import counted
from harness.intake.lateness import lateness
from harness.intake.terms import instant, iso_time
from harness.intake.uploads import Attempt, StudentUploads
from harness.model.submission import Lateness, Withheld


def in_order(uploads: StudentUploads) -> list[Attempt]:
    """Return a student's attempts in the order of time."""
    return sorted(uploads.attempts, key=_order)


def select_attempt(uploads: StudentUploads) -> Attempt:
    """Return the attempt to grade, with its number, the number of all attempts and its lateness.

    The course's rules for late work choose the attempt; by default it is the latest one in time. If
    no attempt is accepted, return the last one, withheld as late. If the choice is uncertain,
    return an attempt that is withheld for a person, with the reason. If there are no attempts,
    return one without files.
    """
    if not uploads.attempts:
        origin = uploads.listed.place if uploads.listed else ""
        if uploads.doubt:
            return to_review(Attempt(origin=origin), uploads.doubt)
        notes = ("on the roster, but nothing was handed in",)
        return Attempt(origin=origin, notes=notes, withheld=Withheld.NO_SUBMISSION)
    attempts = []
    for handed_in in in_order(uploads):
        attempts.append(replace(handed_in, lateness=_lateness(handed_in, uploads)))
    accepted = [tried for tried in attempts if _in_time(tried, uploads) or tried.lateness]
    free = [tried for tried in accepted if tried.lateness is None or tried.lateness.is_forgiven]
    takes_latest = uploads.late is not None and uploads.late.policy.latest
    candidates = free if free and not takes_latest else accepted
    attempt = (candidates or attempts)[-1]
    later = attempts[attempts.index(attempt) + 1 :]
    selected = _numbered(attempt, attempts, uploads)
    if uploads.doubt:
        return to_review(selected, uploads.doubt)
    rivals = [a for a in attempts if a is not attempt and _order(a) == _order(attempt)]
    if rivals and (candidates or uploads.due is None):
        return to_review(
            selected, "the download does not say which of two attempts is the later one"
        )
    # If one of these were in time, it would count instead.
    preferred_if_in_time = [] if free else attempts
    if candidates and takes_latest:
        preferred_if_in_time = later
    doubt = _doubt_about_times(preferred_if_in_time, uploads)
    if doubt:
        return to_review(selected, doubt)
    if candidates:
        of_times = _time_notes(selected, uploads, len(later))
        return replace(selected, notes=(*selected.notes, *of_times))
    return _withheld_as_late(selected, uploads)


def _numbered(attempt: Attempt, attempts: Sequence[Attempt], uploads: StudentUploads) -> Attempt:
    """Return the attempt with its number, as its platform counts or among all that are known, and
    with the number of all attempts. Some of them may be `elsewhere`: only their times are known.
    """
    numbers = [handed_in.number or 0 for handed_in in attempts]
    of = max(len(attempts) + len(uploads.elsewhere), *numbers)
    earlier_elsewhere = sum(instant(at) < _instant(attempt) for at in uploads.elsewhere)
    place = attempts.index(attempt) + 1 + earlier_elsewhere
    return replace(attempt, number=attempt.number or place, of=of)


def _withheld_as_late(attempt: Attempt, uploads: StudentUploads) -> Attempt:
    when = f"handed in {iso_time(attempt.at)}" if attempt.at else "marked late by its platform"
    assert uploads.due is not None
    notes = (f"{when}, due {iso_time(uploads.due)}",)
    return replace(attempt, withheld=Withheld.LATE, notes=notes)


def _doubt_about_times(attempts: Sequence[Attempt], uploads: StudentUploads) -> str:
    """Return why a person must look, if one of these may have been in time; otherwise an empty
    text.
    """
    unknown = [attempt for attempt in attempts if _in_time(attempt, uploads) is None]
    if unknown and unknown[-1].late is None:
        return "the download does not say when it was handed in"
    if unknown:
        what = "to compare with the extension" if uploads.is_extended else "that says how late"
        return f"it is marked late, and its download has no time {what}"
    due = uploads.due
    early = [at for at in uploads.elsewhere if due is not None and instant(at) <= instant(due)]
    if attempts and early:
        at = iso_time(max(early, key=instant))
        return f"the attempt of {at} was in time, but this export contains only a later one"
    return ""


def _time_notes(attempt: Attempt, uploads: StudentUploads, later: int) -> tuple[str, ...]:
    """Return the notes about times of a graded attempt, after which `later` others came in."""
    if uploads.due is None and attempt.late:
        return ("marked late by its platform",)
    if uploads.due is None or not later:
        return ()
    late = attempt.lateness is not None and not attempt.lateness.is_forgiven
    limit = "end of the time for late work" if late else "due time"
    return (f"{counted(later, 'later attempt')} came in after the {limit}",)


def to_review(attempt: Attempt, *notes: str) -> Attempt:
    """Return the attempt withheld for a person, with these notes."""
    return replace(attempt, withheld=Withheld.NEEDS_REVIEW, notes=notes)


def _in_time(attempt: Attempt, uploads: StudentUploads) -> bool | None:
    """Return whether the attempt is in time; None if that is unknown.

    Canvas says only whether an attempt was late by Canvas's own due time. If the student has an
    extension, that decides nothing, unless the attempt was in time.
    """
    if uploads.due is None:
        return True
    if attempt.at is not None:
        return instant(attempt.at) <= instant(uploads.due)
    if attempt.late is None or (attempt.late and (uploads.is_extended or uploads.late)):
        return None
    return not attempt.late


def _lateness(attempt: Attempt, uploads: StudentUploads) -> Lateness | None:
    """Return how late the attempt is. Return None if it is in time, too late to be graded, or of
    an unknown time."""
    if uploads.late is None or uploads.due is None or attempt.at is None:
        return None
    at = instant(attempt.at)
    if at <= instant(uploads.due):
        return None
    return lateness(at, uploads.due, uploads.late)


def _instant(attempt: Attempt) -> datetime:
    return instant(attempt.at or datetime.min)


def _order(attempt: Attempt) -> tuple[datetime, int]:
    return _instant(attempt), attempt.number or 0
