"""The plain layout: one file, a folder that is one submission, or a folder of folders or files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from harness.common.errors import UserError
from harness.intake.files.entries import (
    MAX_ENTRIES,
    Entry,
    EntryKind,
    Refused,
    entry_at,
    is_ignored,
    is_left_behind,
)
from harness.intake.files.file_kinds import archive_suffix
from harness.intake.files.folders import MAX_CLASS_ENTRIES, Folder
from harness.intake.files.uploads import Attempt, AttemptFiles, StudentUploads
from harness.intake.identity import safe_id, shown_path
from harness.model.plan import Assignment

_FOLDERS_AROUND = 3


def lone_file(path: Path) -> StudentUploads:
    """A file that the user names, which may be a link."""
    entry = replace(entry_at(path.resolve()), name=path.name)
    return _handed(_stem(path.name), _loose(entry, str(path)))


def is_one(place: Folder, assignment: Assignment) -> bool:
    """Whether the folder itself is one submission: an expected file lies in it."""
    expected = {*assignment.submission_files, assignment.archive}
    return place.is_sample or any(
        entry.name in expected and entry.kind is not EntryKind.FOLDER
        for entry in place.entries(MAX_CLASS_ENTRIES)
    )


def plain(place: Folder, assignment: Assignment) -> tuple[StudentUploads, ...]:
    """The folder as one submission, or each folder, Python file and archive in it as one.

    Raises OSError where it cannot be read, UserError where it holds too much for one submission.
    """
    own = [entry for entry in place.entries(MAX_CLASS_ENTRIES) if may_be_one(entry)]
    one_of_any_name = bool(assignment.laid_as) and _is_lone_file(own)
    if (not place.is_packed and one_of_any_name) or is_one(place, assignment):
        return (folder_itself(place),)
    return tuple(one_of(place, entry) for entry in candidates_in(place))


def folder_itself(place: Folder) -> StudentUploads:
    """The folder as one submission, named by its own name."""
    try:
        found = _found(place, place.shown)
    except Refused as refusal:
        raise UserError(f"this folder holds {refusal}", place=place.shown) from None
    return _handed(place.name, found)


def places(place: Folder) -> Iterator[Folder]:
    """A place, and the folders that are alone in it and in one another."""
    yield place
    for _ in range(_FOLDERS_AROUND):
        inner = _alone_inside(place)
        if inner is None:
            return
        place = inner
        yield place


def is_around_one(place: Folder, assignment: Assignment) -> bool:
    """Whether a folder that is alone in it, at some depth, is a submission and it itself is not."""
    return _program_folder(place, assignment) not in (None, place)


def _program_folder(place: Folder, assignment: Assignment) -> Folder | None:
    """The first of `places` with a file to grade in it."""
    for inner in places(place):
        candidates = [entry for entry in inner.entries() if may_be_one(entry)]
        if is_one(inner, assignment) or (assignment.laid_as and _is_lone_file(candidates)):
            return inner
    return None


def _alone_inside(place: Folder) -> Folder | None:
    """The only folder at a place, where nothing else there can be a submission."""
    entries = candidates_in(place)
    if len(entries) == 1 and entries[0].kind is EntryKind.FOLDER:
        return place.inside(entries[0].name)
    return None


def is_clearly_one(place: Folder, assignment: Assignment) -> bool:
    """Whether an expected file, or nothing but one file that may be graded, lies in the folder."""
    if is_one(place, assignment):
        return True
    return _is_lone_file([e for e in place.entries(MAX_CLASS_ENTRIES) if may_be_one(e)])


def holds_several(place: Folder, assignment: Assignment) -> bool:
    """Whether two folders in it are submissions themselves: then it is a class."""
    folders = [e for e in place.entries(MAX_CLASS_ENTRIES) if e.kind is EntryKind.FOLDER]
    return sum(is_one(place.inside(folder.name), assignment) for folder in folders) > 1


def _is_lone_file(candidates: Sequence[Entry]) -> bool:
    return len(candidates) == 1 and candidates[0].kind is not EntryKind.FOLDER


def may_be_one(entry: Entry) -> bool:
    """Whether a thing in a folder of submissions is rather one of them than a note beside them."""
    is_program = entry.is_python or bool(archive_suffix(entry.name))
    return is_program or entry.kind in (EntryKind.FOLDER, EntryKind.LINK)


def candidates_in(place: Folder) -> list[Entry]:
    """What lies in a folder of submissions and may be one of them, whatever its name begins with.

    Raises OSError, or Refused for too many.
    """
    found = place.everything(MAX_CLASS_ENTRIES)
    return [entry for entry in found if not is_left_behind(entry.name) and may_be_one(entry)]


def dot_doubt(entry: Entry) -> str:
    """Why a person must look at a submission of this name; "" where nobody must."""
    if not entry.name.startswith("."):
        return ""
    return f"its name begins with a dot, as those of hidden files do ({shown_path(entry.name)})"


def one_of(place: Folder, entry: Entry) -> StudentUploads:
    """A folder or file of a folder of submissions, named by its own name."""
    return replace(_one_of(place, entry), doubt=dot_doubt(entry))


def _one_of(place: Folder, entry: Entry) -> StudentUploads:
    origin = f"{place.shown}/{entry.name}"
    if entry.kind is EntryKind.FOLDER:
        return _handed(entry.name, files_in_folder(place.inside(entry.name), origin))
    if entry.kind is EntryKind.LINK:
        problem = f"{safe_id(entry.name)} is a symbolic link, which is not followed"
        return _handed(
            _stem(entry.name), AttemptFiles(origin=origin, problem=problem, parts=(entry.name,))
        )
    return _handed(_stem(entry.name), _loose(entry, origin))


def files_in_folder(place: Folder, origin: str) -> AttemptFiles:
    """What lies in one submission's folder, or why that cannot be known."""
    found = AttemptFiles(origin=origin, source=place.name, parts=(place.name,))
    try:
        return _found(place, origin)
    except OSError as error:
        problem = f"the folder cannot be read ({error.strerror or error})"
        return replace(found, problem=problem, ours=True)
    except Refused as refusal:
        return replace(found, problem=f"the folder holds {refusal}")


def _found(place: Folder, origin: str) -> AttemptFiles:
    everything = place.everything(MAX_ENTRIES)
    return AttemptFiles(
        origin=origin,
        entries=tuple(entry for entry in everything if not is_ignored(entry.name)),
        source=place.name,
        parts=(place.name,),
        hidden=tuple(shown_path(entry.name) for entry in everything if is_ignored(entry.name)),
    )


def _loose(entry: Entry, origin: str) -> AttemptFiles:
    return AttemptFiles(origin=origin, entries=(entry,), loose=True, parts=(entry.name,))


def _handed(identity: str, found: AttemptFiles) -> StudentUploads:
    source = found.source or Path(found.origin).name
    return StudentUploads(
        identity=identity, attempts=(Attempt(files=replace(found, source=source)),)
    )


def _stem(name: str) -> str:
    return name.removesuffix(".py").removesuffix(archive_suffix(name))
