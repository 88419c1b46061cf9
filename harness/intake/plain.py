"""The plain layout: one file, a folder that is one submission, or a folder of folders or files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from harness.common.errors import UserError
from harness.intake.entries import (
    MAX_CLASS_ENTRIES,
    Entry,
    EntryKind,
    Refused,
    is_ignored,
    is_left_behind,
)
from harness.intake.file_kinds import archive_suffix
from harness.intake.identity import safe_id, shown_path
from harness.intake.uploads import Attempt, StudentUploads, attempt_of, in_folder
from harness.model.plan import Assignment

_FOLDERS_AROUND = 3
# A sample's folder is one submission even when its file has the wrong name.
_SAMPLE_MARKER = "expect.yaml"


def is_one(folder: Entry, assignment: Assignment) -> bool:
    """Whether the folder itself is one submission: an expected file is in it."""
    files = [each.name for each in folder.everything(MAX_CLASS_ENTRIES) if not each.is_folder]
    if _SAMPLE_MARKER in files and not folder.is_packed:
        return True
    expected = {*assignment.submission_files, assignment.archive}
    return any(name in expected and not is_ignored(name) for name in files)


def plain_uploads(folder: Entry, assignment: Assignment) -> tuple[StudentUploads, ...]:
    """The folder as one submission, or each folder, Python file and archive in it as one.

    Raises OSError where it cannot be read, UserError where it holds too much for one submission.
    """
    candidates = [entry for entry in folder.entries(MAX_CLASS_ENTRIES) if may_be_one(entry)]
    one_of_any_name = bool(assignment.laid_as) and _is_lone_file(candidates)
    if (not folder.is_packed and one_of_any_name) or is_one(folder, assignment):
        return (folder_itself(folder),)
    return tuple(one_in(folder, entry) for entry in candidates_in(folder))


def folder_itself(folder: Entry) -> StudentUploads:
    """The folder as one submission, named by its own name."""
    try:
        attempt = attempt_of(folder, folder.where)
    except Refused as refusal:
        raise UserError(f"this folder holds {refusal}", place=folder.where) from None
    attempt = replace(attempt, source=attempt.source or Path(folder.where).name)
    return StudentUploads(identity=folder.name, attempts=(attempt,))


def one_in(folder: Entry, entry: Entry) -> StudentUploads:
    """A folder or file of a folder of submissions, named by its own name."""
    origin = f"{folder.where}/{entry.name}"
    if entry.is_folder:
        attempt = in_folder(entry, origin)
        return StudentUploads(identity=entry.name, attempts=(attempt,), doubt=dot_doubt(entry))
    return replace(lone_file(entry, origin), doubt=dot_doubt(entry))


def lone_file(entry: Entry, origin: str) -> StudentUploads:
    """A file as one submission, named by its own name without the ending."""
    stem = entry.name.removesuffix(".py").removesuffix(archive_suffix(entry.name))
    attempt = Attempt(
        origin=origin, entries=(entry,), source=Path(origin).name, loose=True, parts=(entry.name,)
    )
    if entry.kind is EntryKind.LINK:
        problem = f"{safe_id(entry.name)} is a symbolic link, which is not followed"
        attempt = replace(attempt, entries=(), loose=False, problem=problem)
    return StudentUploads(identity=stem, attempts=(attempt,))


def places(folder: Entry) -> Iterator[Entry]:
    """A folder, and those that are alone in it and in one another."""
    yield folder
    for _ in range(_FOLDERS_AROUND):
        inside = candidates_in(folder)
        if len(inside) != 1 or not inside[0].is_folder:
            return
        folder = inside[0]
        yield folder


def is_around_one(folder: Entry, assignment: Assignment) -> bool:
    """Whether a folder that is alone in it, at some depth, is a submission and it itself is not."""
    for inner in places(folder):
        candidates = [entry for entry in inner.entries() if may_be_one(entry)]
        if is_one(inner, assignment) or (assignment.laid_as and _is_lone_file(candidates)):
            return inner is not folder
    return False


def is_clearly_one(folder: Entry, assignment: Assignment) -> bool:
    """Whether an expected file, or nothing but one file that may be graded, is in the folder."""
    if is_one(folder, assignment):
        return True
    return _is_lone_file([e for e in folder.entries(MAX_CLASS_ENTRIES) if may_be_one(e)])


def holds_several(folder: Entry, assignment: Assignment) -> bool:
    """Whether two folders in it are submissions themselves: then it is a class."""
    folders = [each for each in folder.entries(MAX_CLASS_ENTRIES) if each.is_folder]
    return sum(is_one(inner, assignment) for inner in folders) > 1


def _is_lone_file(candidates: Sequence[Entry]) -> bool:
    return len(candidates) == 1 and not candidates[0].is_folder


def may_be_one(entry: Entry) -> bool:
    """Whether a thing in a folder of submissions is rather one of them than a note beside them."""
    is_program = entry.is_python or bool(archive_suffix(entry.name))
    return is_program or entry.kind in (EntryKind.FOLDER, EntryKind.LINK)


def candidates_in(folder: Entry) -> list[Entry]:
    """What is in a folder of submissions and may be one of them, whatever its name begins with.

    Raises OSError, or Refused for too many.
    """
    everything = folder.everything(MAX_CLASS_ENTRIES)
    return [entry for entry in everything if not is_left_behind(entry.name) and may_be_one(entry)]


def dot_doubt(entry: Entry) -> str:
    """Why a person must look at a submission of this name; "" where nobody must."""
    if not entry.name.startswith("."):
        return ""
    return f"its name begins with a dot, as those of hidden files do ({shown_path(entry.name)})"
