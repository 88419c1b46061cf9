"""One attempt's files, and all attempts of one student, before any is selected."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from harness.intake.files.entries import Entry
from harness.model.submission import Student


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFiles:
    """One attempt's files as they were handed in.

    `origin` is where, for messages; `source` is the name of the folder, or of the file that has
    none, in a platform's download.

    `loose`: a single file named after its student, which counts as the expected file.
    `problem` is set where the folder itself cannot be read; `ours` where that says nothing about
    the student. `inside` names the archive that the entries come from, `notes` say what was done
    to get at them. `parts` are the names in the download that hold the attempt, `hidden` what lay
    in its folder and counts as nothing: hidden files, and what systems leave behind.
    """

    origin: str
    entries: tuple[Entry, ...] = ()
    loose: bool = False
    problem: str = ""
    ours: bool = False
    inside: str = ""
    notes: tuple[str, ...] = ()
    source: str = ""
    parts: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One time that a student handed in.

    `at` is naive where the source names no zone, None where it names no time.

    `late` is the source's own word where it has one; `number` counts from 1 where the source
    counts them.
    """

    files: AttemptFiles
    at: datetime | None = None
    late: bool | None = None
    number: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the platform has the attempt without any file."""
        return not self.files.entries and not self.files.problem


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentUploads:
    """All that one student handed in; `identity` is what the submission's id is made of.

    `elsewhere` are the times of attempts that the source tells of without their files. `doubt`
    says why a person must look before anything is graded.
    """

    identity: str
    attempts: tuple[Attempt, ...]
    student: Student | None = None
    elsewhere: tuple[datetime, ...] = ()
    doubt: str = ""
    notes: tuple[str, ...] = ()
