"""Stage 2, recognise: whose layout each path has, and the uploads that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.common.errors import UserError
from harness.intake.files.entries import Entry, EntryKind, Refused, listed
from harness.intake.files.file_kinds import archive_suffix
from harness.intake.files.folders import MAX_CLASS_ENTRIES, Folder
from harness.intake.files.uploads import StudentUploads
from harness.intake.finding import FoundPath
from harness.intake.layouts import Times
from harness.intake.layouts.choice import PLAIN, RecognisedLayout, chosen_layout
from harness.intake.layouts.layout import is_file
from harness.intake.layouts.plain import (
    candidates_in,
    folder_itself,
    holds_several,
    is_around_one,
    is_clearly_one,
    lone_file,
)
from harness.model.plan import Assignment


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadSource:
    """One path's layout, everybody who handed in there, and everything that lies there."""

    path: Path
    layout: str
    times: Times
    uploads: tuple[StudentUploads, ...]
    contents: tuple[Entry, ...]
    metadata: str = ""


def recognise(
    found: Sequence[FoundPath], assignment: Assignment, asked: str | None
) -> tuple[UploadSource, ...]:
    """The layout of each path (`asked` None: as the names there say) and what is in it.

    Raises UserError for a path that cannot be read or whose layout is not clear.
    """
    beside = _listed_submissions(found, assignment) if asked in (None, PLAIN) else frozenset()
    return tuple(_source(each, assignment, asked, each.path in beside) for each in found)


def _source(
    found: FoundPath, assignment: Assignment, asked: str | None, is_submission: bool
) -> UploadSource:
    path, folder = found.path, found.folder
    try:
        if folder is None:
            return _plain_source(path, lone_file(path), EntryKind.FILE)
        if is_submission:
            return _plain_source(path, folder_itself(folder), EntryKind.FOLDER)
        layout = chosen_layout(folder, assignment, asked)
        if assignment.archive and asked is None and _is_a_students_archive(layout, folder):
            return _plain_source(path, lone_file(path), EntryKind.FILE)
        _check_archives(layout, assignment)
        times = layout.layout.times if layout.layout else Times.NONE
        uploads = layout.read(assignment)
        if layout.layout is None and [a.files.origin for o in uploads for a in o.attempts] == [
            layout.place.shown
        ]:
            return _plain_source(path, uploads[0], EntryKind.FOLDER)
        return UploadSource(
            path=path,
            layout=layout.name,
            times=times,
            uploads=uploads,
            contents=layout.contents(),
            metadata=layout.layout.needs if layout.layout else "",
        )
    except Refused as refusal:
        raise UserError(f"this folder holds {refusal}", place=str(path)) from None
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror or error})", place=str(path)) from None


def _check_archives(layout: RecognisedLayout, assignment: Assignment) -> None:
    """Raise UserError for an archive of nothing but archives where none is to be handed in."""
    if layout.layout is not None or assignment.archive or not layout.place.is_packed:
        return
    inside = candidates_in(layout.place)
    if inside and all(archive_suffix(e.name) and is_file(e) for e in inside):
        raise UserError(
            f"this archive holds archives alone ({listed([e.shown for e in inside])})",
            place=layout.place.shown,
            hint="unpack it, and name what was in it: harness grade FOLDER/*",
        )


def _plain_source(path: Path, upload: StudentUploads, kind: EntryKind) -> UploadSource:
    """A path that is one submission: it is the only thing there."""
    contents = tuple(
        Entry(name=part, kind=kind, start=lambda _: b"")
        for attempt in upload.attempts
        for part in attempt.files.parts
    )
    return UploadSource(
        path=path, layout=PLAIN, times=Times.NONE, uploads=(upload,), contents=contents
    )


def _is_a_students_archive(layout: RecognisedLayout, folder: Folder) -> bool:
    """Where students hand in archives, one is a student's unless there are archives in it."""
    is_class = layout.layout is not None or any(map(archive_suffix, _names(folder)))
    return folder.is_packed and not is_class


def _names(folder: Folder) -> Iterator[str]:
    for entry in folder.entries(MAX_CLASS_ENTRIES):
        yield entry.name
        if entry.kind is EntryKind.FOLDER:
            inside = folder.inside(entry.name).entries(MAX_CLASS_ENTRIES)
            yield from (inner.name for inner in inside)


def _listed_submissions(found: Sequence[FoundPath], assignment: Assignment) -> frozenset[Path]:
    """The folders that are submissions because others beside them are named too, as a shell does
    for `class/*`: one of them is clearly a submission, or each has a folder around its files, and
    these are no classes."""
    by_parent: dict[Path, list[tuple[Path, Folder]]] = {}
    for each in found:
        if each.folder is not None and not each.folder.is_packed:
            beside = by_parent.setdefault(each.path.absolute().parent, [])
            beside.append((each.path, each.folder))
    listed: set[Path] = set()
    for beside in by_parent.values():
        if len(beside) < 2:
            continue
        submissions = [path for path, folder in beside if not _is_class(folder, assignment)]
        clear = any(_is(is_clearly_one, folder, assignment) for _, folder in beside)
        around = sum(_is(_is_around_one, folder, assignment) for _, folder in beside)
        if clear or (around > 1 and len(submissions) == len(beside)):
            listed.update(submissions)
    return frozenset(listed)


def _is(what: Callable[[Folder, Assignment], bool], folder: Folder, assignment: Assignment) -> bool:
    try:
        return what(folder, assignment)
    except (OSError, Refused):
        return False  # what is wrong with it is said when it is read


def _is_around_one(folder: Folder, assignment: Assignment) -> bool:
    """Whether the files lie in a folder inside, which no platform has named."""
    try:
        return chosen_layout(folder, assignment).layout is None and is_around_one(
            folder, assignment
        )
    except UserError:
        return False


def _is_class(folder: Folder, assignment: Assignment) -> bool:
    try:
        # One name alone may be a student's file that is called as a platform calls its own.
        named = chosen_layout(folder, assignment).named
        return len(named) > 1 or holds_several(folder, assignment)
    except UserError:
        return False
    except (OSError, Refused):
        return True  # what is wrong with it is said when it is read
