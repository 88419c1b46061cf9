"""What a platform's layout is: names that tell who handed in, and how to read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from harness.common.errors import UserError
from harness.intake.files.entries import Entry, EntryKind
from harness.intake.files.folders import Folder
from harness.intake.files.uploads import Attempt, AttemptFiles, StudentUploads
from harness.intake.identity import clean_name
from harness.model.plan import Assignment
from harness.model.submission import Student


class Times(StrEnum):
    """What a download tells of when each attempt was handed in."""

    EXACT = "exact"
    LATE_ONLY = "late_only"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One platform. `is_one` says whether a thing at the root is named as the platform names
    them, `read` makes students of those; `example` is such a name, for messages.

    A name that several layouts know belongs to the one of the lowest `order`. `needs` is a file
    without which nothing at the root is of this layout; "" for none.
    """

    name: str
    order: int
    example: str
    times: Times
    is_one: Callable[[Entry], bool]
    read: Callable[[Folder, Sequence[Entry], Assignment], tuple[StudentUploads, ...]]
    needs: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamePart:
    """Some files of one attempt of one student, as one name at the root tells it."""

    student: Student
    attempt: Attempt
    together: str = ""  # pieces of one student that have this in common are one attempt
    doubt: str = ""


def students_of(pieces: Iterable[NamePart]) -> tuple[StudentUploads, ...]:
    """The pieces put together, each student's attempts in the order of their times and numbers.

    An id with two names is in doubt.
    """
    by_id: dict[str, dict[str, NamePart]] = {}
    names: dict[str, set[str]] = {}
    for piece in pieces:
        attempts = by_id.setdefault(piece.student.id, {})
        names.setdefault(piece.student.id, set()).add(piece.student.name)
        earlier = attempts.get(piece.together)
        attempts[piece.together] = _joined(earlier, piece) if earlier else piece
    return tuple(_one(attempts, names[name]) for name, attempts in by_id.items())


def student(identity: str, name: str = "", email: str = "") -> Student:
    """A student whose name and email can be printed; two spellings of one letter are one."""
    return Student(id=clean_name(identity), name=clean_name(name), email=clean_name(email))


def is_file(entry: Entry) -> bool:
    """Whether it is no folder: a link in place of a file is refused when it is read."""
    return entry.kind is not EntryKind.FOLDER


def _joined(one: NamePart, other: NamePart) -> NamePart:
    found = replace(
        one.attempt.files,
        entries=(*one.attempt.files.entries, *other.attempt.files.entries),
        problem=one.attempt.files.problem or other.attempt.files.problem,
        ours=one.attempt.files.ours or other.attempt.files.ours,
        parts=(*one.attempt.files.parts, *other.attempt.files.parts),
        hidden=(*one.attempt.files.hidden, *other.attempt.files.hidden),
    )
    known = one.student if one.student.name else other.student
    doubt = one.doubt or other.doubt
    return replace(one, student=known, attempt=replace(one.attempt, files=found), doubt=doubt)


def _one(attempts: dict[str, NamePart], names: set[str]) -> StudentUploads:
    pieces = list(attempts.values())
    known = next((p.student for p in pieces if p.student.name), pieces[0].student)
    given = sorted(names - {""})
    doubt = next((piece.doubt for piece in pieces if piece.doubt), "")
    if len(given) > 1:  # which ones is not for a student to read
        doubt = "its id has several names in the download"
    return StudentUploads(
        identity=known.id,
        student=known,
        attempts=tuple(piece.attempt for piece in pieces),
        doubt=doubt,
    )


def files_at_root(
    place: Folder, entries: Sequence[Entry], source: str, parts: Sequence[str] = ()
) -> AttemptFiles:
    """Files at the root that are one attempt's; `parts` are their names there (none: `source`)."""
    origin = f"{place.shown}/{source}"
    names = tuple(parts) or (source,)
    return AttemptFiles(origin=origin, entries=tuple(entries), source=source, parts=names)


def malformed(where: str, what: str) -> UserError:
    """The line about a platform's metadata that cannot be used."""
    return UserError(
        f"the metadata cannot be used: {what}", place=where, hint="export the submissions again"
    )
