"""Stage 5, submission: the bytes of the selected attempt, or why there is nothing to grade."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.common.errors import UserError
from harness.intake.archives.unpack import unpack
from harness.intake.cohort.matching import ClassMember
from harness.intake.cohort.times import shown
from harness.intake.files.entries import EntryKind, listed
from harness.intake.files.expected_files import SelectedFiles, look_inside, select_files
from harness.intake.files.folders import DiskFolder, Folder
from harness.intake.files.uploads import AttemptFiles
from harness.intake.layouts.plain import files_in_folder
from harness.intake.selecting import SelectedAttempt
from harness.model.plan import Assignment, OtherFiles
from harness.model.submission import Submission, Withheld


def submission_of(
    name: str, member: ClassMember, selected: SelectedAttempt | None, assignment: Assignment
) -> Submission:
    """The submission `name` of a member of the class; `selected` None: nothing was handed in."""
    if selected is None:
        return _without_upload(name, member)
    uploads, attempt = member.uploads, selected.attempt
    files, withheld = SelectedFiles(), selected.withheld
    if withheld is None and attempt.is_empty and attempt.files.hidden:
        withheld = Withheld.NEEDS_REVIEW
        what = listed(attempt.files.hidden)
        note = f"only hidden files or what systems leave behind: {what}"
        files = replace(_files(attempt.files, assignment), notes=(note,))
    elif withheld is None and uploads.student and attempt.is_empty:
        withheld = Withheld.NO_SUBMISSION
        files = SelectedFiles(notes=("handed in without any file",))
    elif withheld is None:
        files = _files(attempt.files, assignment)
        withheld = _review(files, assignment)
    return Submission(
        id=name,
        files=files.files,
        origin=attempt.files.origin,
        problem=files.problem,
        notes=(*uploads.notes, *selected.notes, *files.notes),
        student=uploads.student,
        handed_in=shown(attempt.at) if attempt.at else "",
        attempt=selected.number if uploads.student else None,
        attempts=selected.of if uploads.student else None,
        withheld=withheld,
        source=attempt.files.source,
    )


def _files(found: AttemptFiles, assignment: Assignment) -> SelectedFiles:
    return select_files(look_inside(unpack(found, assignment), assignment), assignment)


def _without_upload(name: str, member: ClassMember) -> Submission:
    uploads = member.uploads
    return Submission(
        id=name,
        files=(),
        origin=member.listed.place if member.listed else "",
        notes=(uploads.doubt or "on the roster, and nothing was handed in",),
        student=uploads.student,
        withheld=Withheld.NEEDS_REVIEW if uploads.doubt else Withheld.NO_SUBMISSION,
    )


def _review(files: SelectedFiles, assignment: Assignment) -> Withheld | None:
    """Whether a person must look: at our own trouble, and at other files where the course asks."""
    review = files.problem and (files.ours or assignment.otherwise is OtherFiles.REVIEW)
    return Withheld.NEEDS_REVIEW if review else None


_BESIDE = "__MACOSX"  # what one system's archives have beside their own folder


def read_one(folder: Path, assignment: Assignment, name: str) -> Submission:
    """What lies in the folder as the submission `name`.

    A platform may have unpacked the archive that is asked for: then its files are taken as they
    lie, also in a folder that is alone there. Raises UserError when there is no such folder.
    """
    if not folder.is_dir():
        raise UserError("there is no such folder", place=str(folder))
    place: Folder = DiskFolder(folder)
    found = files_in_folder(place, str(folder))
    if assignment.archive and not _has(found, assignment.archive):
        assignment, found = replace(assignment, archive=None), _inside(place, found)
    chosen = _files(found, assignment)
    return Submission(
        id=name,
        files=chosen.files,
        origin=str(folder),
        problem=chosen.problem,
        notes=chosen.notes,
        withheld=_review(chosen, assignment),
    )


def _inside(place: Folder, found: AttemptFiles) -> AttemptFiles:
    """What was in the archive, which may have had one folder around everything."""
    own = [e for e in found.entries if e.name != _BESIDE and not e.name.startswith(".")]
    if len(own) == 1 and own[0].kind is EntryKind.FOLDER:
        return files_in_folder(place.inside(own[0].name), found.origin)
    return found


def _has(found: AttemptFiles, name: str) -> bool:
    return any(entry.name == name for entry in found.entries)
