"""Stage 3, identify: who handed in what, held against the roster, the due time and extensions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.common.errors import UserError
from harness.intake.cohort.matching import ClassMember, on_roster, with_extensions
from harness.intake.cohort.terms import Terms
from harness.intake.cohort.times import in_zone
from harness.intake.files.uploads import Attempt, StudentUploads
from harness.intake.identity import safe_id
from harness.intake.layouts import Times
from harness.intake.layouts.choice import PLAIN
from harness.intake.recognising import UploadSource
from harness.intake.selecting import Due

MAX_SUBMISSIONS = 20_000  # their files are in memory until all are graded
_TEST_STUDENT = "studenttest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """Everybody who handed in or should have, in the order of ids. `students` handed in
    `submissions`: every attempt is one, and what a group handed in together is one."""

    members: tuple[ClassMember, ...]
    students: int
    submissions: int
    notices: tuple[str, ...] = ()


def identify(sources: Sequence[UploadSource], terms: Terms) -> Class:
    """Everybody once, each with the uploads of all sources and the due time.

    Raises UserError for more than `MAX_SUBMISSIONS`, and for terms that cannot be used here.
    """
    everybody = _merged_by_student(sources, terms)
    members = [ClassMember(uploads=uploads) for uploads in everybody]
    notices = []
    if terms.due is not None and any(source.times is Times.LATE_ONLY for source in sources):
        notices.append(
            "Canvas gives no times: late is what it marked LATE by its own due time, not by --due"
        )
    if terms.roster is not None:
        members, strangers = on_roster(everybody, terms.roster, terms.roster_place)
        notices += strangers
    if terms.due is not None:
        _check_times(sources, members)
    members, unused = with_extensions(members, terms.extensions, Due(at=terms.due))
    notices += [*unused, *_test_students(sources)]
    return Class(
        members=tuple(sorted(members, key=_order)),
        students=len(everybody),
        submissions=_submission_count(everybody),
        notices=tuple(notices),
    )


def _test_students(sources: Sequence[UploadSource]) -> list[str]:
    """A line about what a lecturer handed in to try the assignment: Canvas calls it a student."""
    return [
        f"{uploads.identity} is Canvas's test student, not a person"
        for source in sources
        if source.layout == "Canvas"
        for uploads in source.uploads
        if uploads.student and uploads.student.name == _TEST_STUDENT
    ]


def _merged_by_student(sources: Sequence[UploadSource], terms: Terms) -> list[StudentUploads]:
    everybody: dict[tuple[str, str], StudentUploads] = {}
    for source in sources:
        for uploads in source.uploads:
            key = _key(source, uploads)
            earlier = everybody.get(key)
            if earlier is None:
                everybody[key] = _zoned(uploads, terms)
            elif source.layout != PLAIN:
                everybody[key] = _merged(earlier, _zoned(uploads, terms))
        if len(everybody) > MAX_SUBMISSIONS:
            raise UserError(f"more than {MAX_SUBMISSIONS} submissions", place=str(source.path))
    return list(everybody.values())


def _submission_count(everybody: Sequence[StudentUploads]) -> int:
    origins = {(a.files.origin, a.number) for one in everybody for a in one.attempts}
    groups = {_origin(one): one for one in everybody}
    return len(origins) + sum(len(one.elsewhere) for one in groups.values())


def _check_times(sources: Sequence[UploadSource], members: Sequence[ClassMember]) -> None:
    """Raise UserError where a due time cannot be compared with anything."""
    times = [attempt.at for member in members for attempt in member.uploads.attempts]
    for source in sources:
        if source.times is Times.NONE and not any(times):
            whose = "this" if source.layout == PLAIN else f"a download from {source.layout}"
            raise UserError(
                f"{whose} does not say when anything was handed in, so --due cannot be held to",
                place=str(source.path),
                hint="add --roster with a column handed_in, or leave out --due",
            )
    if any(at is not None and at.tzinfo is None for at in times):
        raise UserError(
            "the times here have no zone",
            place=str(sources[0].path),
            hint="add --time-zone Australia/Brisbane (or yours)",
        )


def _order(member: ClassMember) -> tuple[str, str]:
    attempts = member.uploads.attempts
    return safe_id(member.uploads.identity), attempts[0].files.origin if attempts else ""


def _key(source: UploadSource, uploads: StudentUploads) -> tuple[str, str]:
    """Two plain folders of one name are two submissions; a platform's student is one."""
    if uploads.student is None:
        return PLAIN, str(Path(_origin(uploads)).absolute())
    return source.layout, uploads.student.id


def _origin(uploads: StudentUploads) -> str:
    return uploads.attempts[0].files.origin


def _merged(one: StudentUploads, other: StudentUploads) -> StudentUploads:
    """One student in two downloads; an attempt that is in both counts once."""
    known = {_mark(attempt) for attempt in one.attempts} - {None}
    return replace(
        one,
        attempts=(*one.attempts, *(a for a in other.attempts if _mark(a) not in known)),
        elsewhere=tuple(dict.fromkeys((*one.elsewhere, *other.elsewhere))),
        doubt=one.doubt or other.doubt,
        notes=tuple(dict.fromkeys((*one.notes, *other.notes))),
    )


def _mark(attempt: Attempt) -> tuple[str, str, int] | None:
    """What tells an attempt from all others, where the platform names a time or a number."""
    if attempt.at is None and attempt.number is None:
        return None
    return attempt.files.source, str(attempt.at), attempt.number or 0


def _zoned(uploads: StudentUploads, terms: Terms) -> StudentUploads:
    return replace(
        uploads,
        attempts=tuple(_in_zone(uploads.attempts, terms)),
        elsewhere=tuple(in_zone(at, terms.zone) for at in uploads.elsewhere),
    )


def _in_zone(attempts: Iterable[Attempt], terms: Terms) -> Iterable[Attempt]:
    for attempt in attempts:
        at = attempt.at
        yield attempt if at is None else replace(attempt, at=in_zone(at, terms.zone))
