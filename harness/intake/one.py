"""A folder that is one student's submission, whatever lies in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from harness.intake.choosing import choose
from harness.intake.entries import EntryKind
from harness.intake.found import Found
from harness.intake.places import DiskFolder, Place
from harness.intake.plain import folder_found
from harness.intake.unpacking import unpack
from harness.model.errors import UserError
from harness.model.plan import Assignment, OtherFiles
from harness.model.submission import Submission, Withheld

_BESIDE = "__MACOSX"  # what one system's archives have beside their own folder


def read_one(folder: Path, assignment: Assignment, name: str) -> Submission:
    """What lies in the folder as the submission `name`.

    A platform may have unpacked the archive that is asked for: then its files are taken as they
    lie, also in a folder that is alone there. Raises UserError when there is no such folder.
    """
    if not folder.is_dir():
        raise UserError("there is no such folder", place=str(folder))
    place: Place = DiskFolder(folder)
    found = folder_found(place, str(folder))
    if assignment.archive and not _has(found, assignment.archive):
        assignment, found = replace(assignment, archive=None), _inside(place, found)
    chosen = choose(unpack(found, assignment), assignment)
    review = chosen.problem and (chosen.ours or assignment.otherwise is OtherFiles.REVIEW)
    return Submission(
        id=name,
        files=chosen.files,
        origin=str(folder),
        problem=chosen.problem,
        notes=chosen.notes,
        withheld=Withheld.NEEDS_REVIEW if review else None,
    )


def _inside(place: Place, found: Found) -> Found:
    """What was in the archive, which may have had one folder around everything."""
    own = [e for e in found.entries if e.name != _BESIDE and not e.name.startswith(".")]
    if len(own) == 1 and own[0].kind is EntryKind.FOLDER:
        return folder_found(place.inside(own[0].name), found.origin)
    return found


def _has(found: Found, name: str) -> bool:
    return any(entry.name == name for entry in found.entries)
