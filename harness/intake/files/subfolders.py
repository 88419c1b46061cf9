"""Expected files that lie in a folder of the submission's folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness.intake.files.copies import original_name
from harness.intake.files.entries import MAX_ENTRIES, Entry, EntryKind, Refused
from harness.intake.files.uploads import AttemptFiles
from harness.model.plan import Assignment

DEEPEST = 3


def look_inside(found: AttemptFiles, assignment: Assignment) -> AttemptFiles:
    """The same files, with those in folders (down to `DEEPEST`) added, where no expected file and
    no other program lies outside a folder, and an expected one does inside; else the same.

    Folders with more than `MAX_ENTRIES` entries in all are not looked into.
    """
    if found.problem or found.inside or _expected(found.entries, assignment):
        return found
    if any(entry.is_python and entry.kind is not EntryKind.FOLDER for entry in found.entries):
        return found
    try:
        inner = tuple(_files(found.entries, "", DEEPEST, [MAX_ENTRIES]))
    except (OSError, Refused):
        return found  # what is missing is said of the folder as it was handed in
    if not _expected(inner, assignment):
        return found
    return replace(found, entries=(*found.entries, *inner))


def _expected(entries: Sequence[Entry], assignment: Assignment) -> bool:
    names = assignment.submission_files
    return any(
        entry.name in names
        or original_name(entry.name, names) is not None
        or (assignment.laid_as is not None and entry.is_python)
        for entry in entries
    )


def _files(entries: Sequence[Entry], folder: str, depth: int, budget: list[int]) -> Iterator[Entry]:
    for entry in entries:
        if entry.kind is not EntryKind.FOLDER:
            continue
        path = f"{folder}/{entry.name}".lstrip("/")
        inner = entry.inside() if depth else ()
        budget[0] -= len(inner)
        if budget[0] < 0:
            raise Refused(f"more than {MAX_ENTRIES} files")
        for each in inner:
            if each.kind is not EntryKind.FOLDER:
                yield replace(each, folder=path)
        yield from _files(inner, path, depth - 1, budget)
