"""Stage 5, submission: the bytes of the selected attempt, or why there is nothing to grade."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from harness.common.errors import UserError
from harness.intake.archive_formats import MIB
from harness.intake.archives import kind_named, read_archive
from harness.intake.entries import Entry, EntryKind, Refused, folder_at
from harness.intake.expected_files import look_inside, select_files
from harness.intake.file_kinds import original_name
from harness.intake.identity import listed
from harness.intake.terms import shown
from harness.intake.uploads import Attempt, StudentUploads, in_folder
from harness.model.plan import Assignment, OtherFiles
from harness.model.submission import ARCHIVE_ENDINGS, Submission, Withheld

MAX_ARCHIVE_BYTES = 32 * MIB
_BESIDE = "__MACOSX"  # what one system's archives have beside their own folder


def submission_of(
    name: str, uploads: StudentUploads, selected: Attempt | None, assignment: Assignment
) -> Submission:
    """The submission `name` of a member of the class; `selected` None: nothing was handed in."""
    if selected is None:
        return _without_upload(name, uploads)
    attempt = selected
    if attempt.withheld is None and attempt.is_empty and attempt.hidden:
        note = f"only hidden files or what systems leave behind: {listed(attempt.hidden)}"
        attempt = replace(
            _with_files(attempt, assignment),
            withheld=Withheld.NEEDS_REVIEW,
            notes=(*attempt.notes, note),
        )
    elif attempt.withheld is None and uploads.student and attempt.is_empty:
        notes = (*attempt.notes, "handed in without any file")
        attempt = replace(attempt, withheld=Withheld.NO_SUBMISSION, notes=notes)
    elif attempt.withheld is None:
        attempt = _reviewed(_with_files(attempt, assignment), assignment)
    else:
        attempt = replace(attempt, problem="")  # it is not graded for another reason
    return Submission(
        id=name,
        files=attempt.files,
        origin=attempt.origin,
        problem=attempt.problem,
        notes=(*uploads.notes, *attempt.notes),
        student=uploads.student,
        handed_in=shown(attempt.at) if attempt.at else "",
        attempt=attempt.number if uploads.student else None,
        attempts=attempt.of if uploads.student else None,
        withheld=attempt.withheld,
        source=attempt.source,
    )


def _without_upload(name: str, uploads: StudentUploads) -> Submission:
    return Submission(
        id=name,
        files=(),
        origin=uploads.listed.place if uploads.listed else "",
        notes=(uploads.doubt or "on the roster, and nothing was handed in",),
        student=uploads.student,
        withheld=Withheld.NEEDS_REVIEW if uploads.doubt else Withheld.NO_SUBMISSION,
    )


def read_one(folder: Path, assignment: Assignment, name: str) -> Submission:
    """What is in the folder as the submission `name`.

    A platform may have unpacked the archive that is asked for: then its files are taken as they
    are, also in a folder that is alone there. Raises UserError when there is no such folder.
    """
    if not folder.is_dir():
        raise UserError("there is no such folder", place=str(folder))
    attempt = in_folder(folder_at(folder), str(folder))
    expected = assignment.archive
    if expected and not any(entry.name == expected for entry in attempt.entries):
        assignment, attempt = replace(assignment, archive=None), _inside(attempt)
    attempt = _reviewed(_with_files(attempt, assignment), assignment)
    return Submission(
        id=name,
        files=attempt.files,
        origin=str(folder),
        problem=attempt.problem,
        notes=attempt.notes,
        withheld=attempt.withheld,
    )


def _inside(attempt: Attempt) -> Attempt:
    """What was in the archive, which may have had one folder around everything."""
    own = [e for e in attempt.entries if e.name != _BESIDE and not e.name.startswith(".")]
    return in_folder(own[0], attempt.origin) if len(own) == 1 and own[0].is_folder else attempt


def _with_files(attempt: Attempt, assignment: Assignment) -> Attempt:
    return select_files(look_inside(_unpacked(attempt, assignment), assignment), assignment)


def _reviewed(attempt: Attempt, assignment: Assignment) -> Attempt:
    """Withheld where a person must look: at our own trouble, and at other files where the course
    asks."""
    if attempt.problem and (attempt.ours or assignment.otherwise is OtherFiles.REVIEW):
        return replace(attempt, withheld=Withheld.NEEDS_REVIEW)
    return attempt


def _unpacked(attempt: Attempt, assignment: Assignment) -> Attempt:
    """With the files of the archive that is asked for in place of those in the folder.

    The expected files handed in without the archive stay, with a note: nothing about them is
    unclear. Where there is neither, all stays as it is, for `select_files` to say what was
    expected.
    """
    expected = assignment.archive
    if expected is None or attempt.problem:
        return attempt
    archive = _archive(attempt, expected)
    any_name = attempt.loose or assignment.laid_as is not None
    loose = [
        entry.shown
        for entry in attempt.entries
        if entry.name in assignment.submission_files or (any_name and entry.is_python)
    ]
    were = "was" if len(loose) == 1 else "were"
    if archive is None:
        note = f"{listed(loose)} {were} handed in without {expected}"
        return replace(attempt, notes=(*attempt.notes, note)) if loose else attempt
    notes = list(attempt.notes)
    if archive.name != expected:
        notes.append(f"{archive.shown} was read as {expected}")
    if loose:
        notes.append(f"{listed(loose)} beside {archive.shown} {were} not read")
    try:
        entries = _entries(archive, expected)
    except Refused as refusal:
        return replace(attempt, problem=f"{archive.shown} {refusal}", ours=refusal.ours)
    return replace(attempt, entries=entries, inside=archive.shown, loose=False, notes=tuple(notes))


def _archive(attempt: Attempt, expected: str) -> Entry | None:
    """The entry of that name; or a lone file, which may have its student's name before the end."""
    for entry in attempt.entries:
        if entry.name == expected:
            return entry
    copies = [e for e in attempt.entries if original_name(e.name, (expected,)) == expected]
    if len(copies) == 1:
        return copies[0]
    ending = next(end for end in ARCHIVE_ENDINGS if expected.endswith(end))
    if attempt.loose and attempt.entries[0].name.lower().endswith(ending):
        return attempt.entries[0]
    return None


def _entries(archive: Entry, expected: str) -> tuple[Entry, ...]:
    if archive.kind is EntryKind.LINK:
        raise Refused("is a symbolic link, which is not followed")
    if archive.kind is not EntryKind.FILE:
        raise Refused(f"is a {archive.kind}, expected {kind_named(expected)}")
    return read_archive(io.BytesIO(archive.load(MAX_ARCHIVE_BYTES)), kind_named(expected))
