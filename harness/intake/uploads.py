"""What one student handed in: attempts with their files, before and after one of them is selected.

A platform's names tell pieces of attempts; here they are put together.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from harness.common.people import Person
from harness.intake.entries import (
    BACKSLASH,
    MAX_ENTRIES,
    Entry,
    Refused,
    clean_name,
    shown_path,
    without_junk,
)
from harness.intake.lateness import LateTerms
from harness.model.plan import SourceFile
from harness.model.submission import Lateness, Student, Withheld


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A student on the roster, with the group and a time of handing in where the row has one."""

    student: Student
    person: Person  # every id that the row has
    group: str = ""
    handed_in: datetime | None = None
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One time that a student handed in, from the uploaded files to the graded ones.

    `entries` become those of an archive or of folders inside, and then `files`. `problem` is set if
    nothing can be graded.
    """

    origin: str  # its place, for messages
    entries: tuple[Entry, ...] = ()
    source: str = ""  # the name of its folder, or of the file that has none, in a download
    parts: tuple[str, ...] = ()  # the names in the download that hold it
    left_out: tuple[str, ...] = ()  # hidden files, and what systems and tools leave in a folder
    loose: bool = False  # a single file named after its student, which counts as the expected one
    at: datetime | None = None  # naive where the source names no zone, None where no time
    late: bool | None = None  # the source's own word, if it has one
    number: int | None = None  # from 1, where the source counts, and of the one that is selected
    of: int | None = None  # how many there are, of the one that is selected
    inside: str = ""  # the archive that the entries come from
    inside_fault: str = ""  # why not all of it could be read, after its name
    files: tuple[SourceFile, ...] = ()  # what is graded, under the names it is run by
    not_taken: tuple[str, ...] = ()  # modules beside them
    problem: str = ""
    ours: bool = False  # the problem says nothing about the student
    withheld: Withheld | None = None
    lateness: Lateness | None = None  # of one that is graded all the same
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.entries and not self.problem


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentUploads:
    """All that one student handed in (no attempts: nothing); `identity` is what the submission's
    id is made of."""

    identity: str
    attempts: tuple[Attempt, ...]
    student: Student | None = None
    elsewhere: tuple[datetime, ...] = ()  # of attempts that the source has without their files
    doubt: str = ""  # why a person must look before anything is graded
    notes: tuple[str, ...] = ()
    due: datetime | None = None  # what the student is held to
    is_extended: bool = False  # that is not the class's due time
    late: LateTerms | None = None  # None: late work is not graded
    listed: Listed | None = None  # the line of the roster

    @property
    def person(self) -> Person:
        """Return the key that finds the student on a roster and in a list of extensions."""
        own = (self.student.id, self.student.email) if self.student else ()
        listed = self.listed.person.ids if self.listed else ()
        name = self.student.name if self.student else self.identity
        return Person(ids=(self.identity, *own, *listed), name=name)


Uploads = tuple[StudentUploads, ...]  # of a download


def student(identity: str, name: str = "", email: str = "") -> Student:
    """Return a student whose name and email can be printed; two spellings of one letter are one."""
    return Student(id=clean_name(identity), name=clean_name(name), email=clean_name(email))


def upload_of(who: Student, attempt: Attempt, doubt: str = "") -> StudentUploads:
    """Return some files of one attempt of one student, as one name at the root tells it."""
    return StudentUploads(identity=who.id, student=who, attempts=(attempt,), doubt=doubt)


def in_folder(folder: Entry, origin: str) -> Attempt:
    """Return the content of one submission's folder, or why it cannot be read."""
    try:
        return attempt_of(folder, origin)
    except OSError as error:
        problem, ours = f"the folder cannot be read ({error.strerror or error})", True
    except Refused as refusal:
        problem, ours = f"the folder holds {refusal}", False
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
    """Return files at the root that are one attempt's; `parts` are their names there."""
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
    """Return an attempt's folder at the root, or a file of one, which its student called `file`."""
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
    return tuple(_joined(theirs, together) for theirs in by_id.values())


def _joined(
    pieces: Sequence[StudentUploads], together: Callable[[Attempt], object]
) -> StudentUploads:
    attempts: dict[object, Attempt] = {}
    for attempt in (attempt for piece in pieces for attempt in piece.attempts):
        key = together(attempt)
        attempts[key] = _one_attempt(attempts[key], attempt) if key in attempts else attempt
    named = [piece.student for piece in pieces if piece.student and piece.student.name]
    doubt = next((piece.doubt for piece in pieces if piece.doubt), "")
    if len({each.name for each in named}) > 1:  # which ones is not for a student to read
        doubt = "its id has several names in the download"
    who = named[0] if named else pieces[0].student
    return replace(pieces[0], student=who, attempts=tuple(attempts.values()), doubt=doubt)


def _one_attempt(first: Attempt, second: Attempt) -> Attempt:
    return replace(
        first,
        entries=(*first.entries, *second.entries),
        problem=first.problem or second.problem,
        ours=first.ours or second.ours,
        parts=(*first.parts, *second.parts),
        left_out=(*first.left_out, *second.left_out),
        notes=tuple(dict.fromkeys((*first.notes, *second.notes))),
    )
