"""Stage 1, find: the paths that a user names, as folders to look into or files of one student."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from harness.common.errors import UserError
from harness.intake.files.entries import must_exist
from harness.intake.files.file_kinds import archive_suffix
from harness.intake.files.folders import DiskFolder, Folder, unpacked


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPath:
    """One path and its folder, on the disk or in an archive; None for one student's file."""

    path: Path
    folder: Folder | None


def find(
    paths: Sequence[Path], archives: ExitStack, *, students_hand_in_archives: bool
) -> tuple[FoundPath, ...]:
    """Every path once, in order. What is in archives can be read until the stack is closed.

    Raises UserError for a path that is missing, or neither a folder, an archive nor a Python
    file; and for an archive that cannot be read, unless it may be one that a student handed in:
    what is wrong with that is said of the submission.
    """
    first = {path.absolute(): path for path in reversed(paths)}
    return tuple(
        FoundPath(path=path, folder=_folder(path, archives, students_hand_in_archives))
        for path in sorted(first.values(), key=paths.index)
    )


def _folder(path: Path, archives: ExitStack, students_hand_in_archives: bool) -> Folder | None:
    try:
        if path.is_dir():
            return DiskFolder(path)
        must_exist(path)
        is_file = path.is_file()
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror or error})", place=str(path)) from None
    if is_file and path.suffix == ".py":
        return None
    if not is_file or not archive_suffix(path.name):
        raise UserError("this is neither a folder, an archive nor a .py file", place=str(path))
    try:
        return archives.enter_context(unpacked(path))
    except UserError:
        if students_hand_in_archives:
            return None
        raise
