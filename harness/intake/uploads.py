"""Describe the uploads of one student: attempts with their files, before and after one is selected.

A platform's names tell parts of attempts; here they are put together.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from harness.common.people import Person
from harness.intake.entries import (
    BACKSLASH,
    MAX_ENTRIES,
    Entry,
    RefusedUpload,
    clean_name,
    shown_path,
    without_junk,
)
from harness.intake.lateness import LateTerms
from harness.model.notebook import Notebook
from harness.model.plan import SourceFile
from harness.model.submission import Lateness, MissingFiles, Student, Withheld, WrongFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A student on the roster, with the group and the hand-in time if the row has them."""

    student: Student
    # It has every id of the row.
    person: Person
    group: str = ""
    handed_in: datetime | None = None
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One time that a student handed in, from the uploaded files to the graded ones.

    `entries` become those of an archive or of folders inside, and then `files`. `problem` is set if
    nothing can be graded.
    """

    # Its place, for messages.
    origin: str
    entries: tuple[Entry, ...] = ()
    # The name of its folder in a download, or of the file if it has no folder.
    source: str = ""
    # The names in the download that hold it.
    parts: tuple[str, ...] = ()
    # Hidden files, and files that systems and tools leave in a folder.
    left_out: tuple[str, ...] = ()
    # Whether it is a single file named after its student, which counts as the expected one.
    loose: bool = False
    # Naive if the source names no zone, None if it gives no time.
    at: datetime | None = None
    # Whether the source calls it late, if it tells.
    late: bool | None = None
    # From 1; only if the source counts, or if this attempt is selected.
    number: int | None = None
    # The number of attempts, if this attempt is selected.
    of: int | None = None
    # The archive that the entries come from.
    inside: str = ""
    # Why not all of the archive could be read; it follows the archive's name.
    inside_fault: str = ""
    # The graded files, under the names by which they run, and the modules beside them.
    files: tuple[SourceFile, ...] = ()
    # The notebook of which the only expected file was made.
    notebook: Notebook | None = None
    not_taken: tuple[str, ...] = ()
    problem: str = ""
    # If that is the problem.
    wrong_files: WrongFiles | None = None
    # Expected files that are not there, which a note says too.
    missing: MissingFiles | None = None
    # Whether the problem says nothing about the student.
    ours: bool = False
    withheld: Withheld | None = None
    # The lateness of an attempt that is graded nevertheless.
    lateness: Lateness | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether it has neither files nor a problem."""
        return not self.entries and not self.problem


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentUploads:
    """Everything that one student handed in."""

    # The submission's id is made of it.
    identity: str
    attempts: tuple[Attempt, ...]
    student: Student | None = None
    # The times of attempts that the source has without their files.
    elsewhere: tuple[datetime, ...] = ()
    # Why a person must look before anything is graded.
    doubt: str = ""
    notes: tuple[str, ...] = ()
    # The student's due time, and whether it is another one than the class's.
    due: datetime | None = None
    is_extended: bool = False
    # None if late work is not graded.
    late: LateTerms | None = None
    # The line of the roster.
    listed: Listed | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the names in the download that hold the attempts."""
        names: list[str] = []
        for attempt in self.attempts:
            names += attempt.parts
        return tuple(names)

    @property
    def person(self) -> Person:
        """Return the ids and the name by which lists of students know the student."""
        ids = [self.identity]
        name = self.identity
        if self.student:
            ids += [self.student.id, self.student.email]
            name = self.student.name
        if self.listed:
            ids += self.listed.person.ids
        return Person(ids=tuple(ids), name=name)


# The uploads of a download.
Uploads = tuple[StudentUploads, ...]


def student(identity: str, name: str = "", email: str = "") -> Student:
    """Return a student whose name and email can be printed; two spellings of one letter are one."""
    return Student(id=clean_name(identity), name=clean_name(name), email=clean_name(email))


def upload_of(who: Student, attempt: Attempt, doubt: str = "") -> StudentUploads:
    """Return an upload: some files of one attempt of one student, as one name at the root
    describes it."""
    return StudentUploads(identity=who.id, student=who, attempts=(attempt,), doubt=doubt)


def in_folder(folder: Entry, origin: str) -> Attempt:
    """Return the content of one submission's folder, or why it cannot be read."""
    try:
        return attempt_of(folder, origin)
    except OSError as error:
        problem = f"the folder cannot be read ({error.strerror or error})"
        ours = True
    except RefusedUpload as refusal:
        problem = f"the folder holds {refusal}"
        ours = False
    name = folder.name
    return Attempt(origin=origin, source=name, parts=(name,), problem=problem, ours=ours)


def attempt_of(folder: Entry, origin: str) -> Attempt:
    """Return the content of one submission's folder.

    Raise OSError or Refused if it cannot be read.
    """
    entries, junk = without_junk(folder.everything(MAX_ENTRIES))
    attempt = Attempt(
        origin=origin,
        entries=entries,
        source=folder.name,
        parts=(folder.name,),
        left_out=tuple(shown_path(entry.name) for entry in junk),
    )
    return accepted(attempt, folder.fault)


def at_root(folder: Entry, entries: Sequence[Entry], source: str, parts: Sequence[str]) -> Attempt:
    """Return the files at the root that belong to one attempt; `parts` are their names there."""
    origin = f"{folder.where}/{source}"
    attempt = Attempt(origin=origin, entries=tuple(entries), source=source, parts=tuple(parts))
    fault = next((entry.fault for entry in entries if entry.fault), "")
    return accepted(attempt, fault)


def accepted(attempt: Attempt, fault: str) -> Attempt:
    """Return the attempt with its names as a student meant them; held for a person, with the files
    that may be chosen, if something in it cannot be accepted.
    """
    if any(BACKSLASH in entry.name for entry in attempt.entries):
        entries = tuple(map(_in_its_folder, attempt.entries))
        notes = (*attempt.notes, "backslashes in names were read as folders")
        attempt = replace(attempt, entries=entries, notes=notes)
    if fault:
        return replace(attempt, problem=f"the download holds {fault}", ours=True)
    return attempt


def _in_its_folder(entry: Entry) -> Entry:
    """Return an entry that was unpacked by a program for which a backslash is a character of the
    name.
    """
    folder, _, name = entry.name.replace(BACKSLASH, "/").rpartition("/")
    if not folder or not name:
        return entry
    return replace(entry, name=name, folder=folder)


def attempt_at(place: Entry, entry: Entry, file: str, source: str) -> Attempt:
    """Return an attempt's folder at the root, or one of its files, which the student called
    `file`."""
    if entry.is_folder:
        return in_folder(entry, f"{place.where}/{entry.name}")
    return at_root(place, [replace(entry, name=file)], source, [entry.name])


def students_of(
    pieces: Iterable[StudentUploads],
    together: Callable[[Attempt], object] = lambda attempt: attempt.source,
) -> Uploads:
    """Return the pieces merged, each student's attempts in their order; those with the same
    `together` are one attempt. An id with two names is in doubt.
    """
    by_id: dict[str, list[StudentUploads]] = {}
    for piece in pieces:
        by_id.setdefault(piece.identity, []).append(piece)
    return tuple(_merged(pieces, together) for pieces in by_id.values())


def _merged(
    pieces: Sequence[StudentUploads], together: Callable[[Attempt], object]
) -> StudentUploads:
    """Merge the pieces of one student."""
    attempts: dict[object, Attempt] = {}
    students: list[Student] = []
    doubts: list[str] = []
    for piece in pieces:
        if piece.student and piece.student.name:
            students.append(piece.student)
        if piece.doubt:
            doubts.append(piece.doubt)
        for attempt in piece.attempts:
            key = together(attempt)
            is_known = key in attempts
            attempts[key] = _one_attempt(attempts[key], attempt) if is_known else attempt
    # Students read this, so it does not give the names.
    if len({student.name for student in students}) > 1:
        doubts = ["its id has several names in the download"]
    return replace(
        pieces[0],
        student=students[0] if students else pieces[0].student,
        attempts=tuple(attempts.values()),
        doubt=doubts[0] if doubts else "",
    )


def _one_attempt(first: Attempt, second: Attempt) -> Attempt:
    return replace(
        first,
        entries=(*first.entries, *second.entries),
        problem=first.problem or second.problem,
        wrong_files=first.wrong_files or second.wrong_files,
        ours=first.ours or second.ours,
        parts=(*first.parts, *second.parts),
        left_out=(*first.left_out, *second.left_out),
        notes=tuple(dict.fromkeys((*first.notes, *second.notes))),
    )
