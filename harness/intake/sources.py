"""From the paths that a user names to everybody who handed in below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from harness.common.errors import UserError
from harness.intake.entries import EntryKind, Refused, must_exist
from harness.intake.layouts import Times
from harness.intake.layouts.choice import PLAIN, RecognisedLayout, chosen_layout
from harness.intake.layouts.plain import folder_itself, holds_several, is_clearly_one, lone_file
from harness.intake.places import MAX_CLASS_ENTRIES, DiskFolder, Folder, unpacked
from harness.intake.recognising import archive_suffix
from harness.intake.uploads import StudentUploads
from harness.model.plan import Assignment


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadSource:
    """One path's layout, and everybody who handed in there."""

    path: Path
    layout: str
    times: Times
    handed: tuple[StudentUploads, ...]


def sources(
    paths: Sequence[Path], assignment: Assignment, asked: str | None, stack: ExitStack
) -> tuple[UploadSource, ...]:
    """Every path once. What is in archives can be read until the stack is closed.

    Raises UserError for a path that is missing, unreadable, neither a folder, an archive nor a
    Python file, or whose layout is not clear.
    """
    each = {path.absolute(): path for path in reversed(paths)}
    ordered = sorted(each.values(), key=paths.index)
    listed = _listed_submissions(ordered, assignment) if asked in (None, PLAIN) else frozenset()
    return tuple(_source(path, assignment, asked, stack, path in listed) for path in ordered)


def _listed_submissions(paths: Sequence[Path], assignment: Assignment) -> frozenset[Path]:
    """The folders that are submissions because others beside them are named too, as a shell does
    for `class/*`: one of them is clearly a submission, and these are no classes."""
    by_parent: dict[Path, list[Path]] = {}
    for path in paths:
        if path.is_dir():
            by_parent.setdefault(path.absolute().parent, []).append(path)
    listed: set[Path] = set()
    for folders in by_parent.values():
        if len(folders) > 1 and any(map(partial(_is_clear, assignment), folders)):
            listed.update(path for path in folders if not _is_class(path, assignment))
    return frozenset(listed)


def _is_clear(assignment: Assignment, path: Path) -> bool:
    try:
        return is_clearly_one(DiskFolder(path), assignment)
    except (OSError, Refused):
        return False  # what is wrong with it is said when it is read


def _is_class(path: Path, assignment: Assignment) -> bool:
    try:
        place = DiskFolder(path)
        # One name alone may be a student's file that is called as a platform calls its own.
        named = chosen_layout(place, assignment).named
        return len(named) > 1 or holds_several(place, assignment)
    except UserError:
        return False
    except (OSError, Refused):
        return True  # what is wrong with it is said when it is read


def _source(
    path: Path, assignment: Assignment, asked: str | None, stack: ExitStack, is_submission: bool
) -> UploadSource:
    try:
        if is_submission:
            found: RecognisedLayout | StudentUploads = folder_itself(DiskFolder(path))
        else:
            found = _opened(path, assignment, asked, stack)
        if isinstance(found, StudentUploads):
            return UploadSource(path=path, layout=PLAIN, times=Times.NONE, handed=(found,))
        times = found.layout.times if found.layout else Times.NONE
        return UploadSource(
            path=path, layout=found.name, times=times, handed=found.read(assignment)
        )
    except Refused as refusal:
        raise UserError(f"this folder holds {refusal}", place=str(path)) from None
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror or error})", place=str(path)) from None


def _opened(
    path: Path, assignment: Assignment, asked: str | None, stack: ExitStack
) -> RecognisedLayout | StudentUploads:
    if path.is_dir():
        return chosen_layout(DiskFolder(path), assignment, asked)
    must_exist(path)
    if path.is_file() and path.suffix == ".py":
        return lone_file(path)
    if not path.is_file() or not archive_suffix(path.name):
        raise UserError("this is neither a folder, an archive nor a .py file", place=str(path))
    if assignment.archive is None or asked is not None:
        return chosen_layout(stack.enter_context(unpacked(path)), assignment, asked)
    return _class_or_one(path, assignment, stack)


def _class_or_one(
    path: Path, assignment: Assignment, stack: ExitStack
) -> RecognisedLayout | StudentUploads:
    """Where archives are handed in, one is a student's unless there are archives in it."""
    try:
        place = stack.enter_context(unpacked(path))
    except UserError:
        return lone_file(path)  # what is wrong with it is then said of the submission
    found = chosen_layout(place, assignment)
    is_class = found.layout is not None or any(map(archive_suffix, _names(place)))
    return found if is_class else lone_file(path)


def _names(place: Folder) -> Iterator[str]:
    for entry in place.entries(MAX_CLASS_ENTRIES):
        yield entry.name
        if entry.kind is EntryKind.FOLDER:
            yield from (inner.name for inner in place.inside(entry.name).entries(MAX_CLASS_ENTRIES))
