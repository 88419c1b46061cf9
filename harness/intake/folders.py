"""Look for the expected files in a submission's own folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.intake.entries import (
    MAX_ENTRIES,
    Entry,
    RefusedUpload,
    intended_name,
    shown_path,
    without_junk,
)
from harness.intake.notebooks.finding import may_stand_for
from harness.intake.uploads import Attempt
from harness.model.assignment import Assignment

MAX_DEPTH = 3  # folders inside each other that are looked into


def with_folders(attempt: Attempt, assignment: Assignment) -> Attempt:
    """Return the attempt with the files in its folders added, if an expected one is there, and
    neither an expected file nor another program is outside a folder.
    """
    if attempt.problem or attempt.inside or _has_expected(attempt.entries, assignment):
        return attempt
    if any(entry.is_python and not entry.is_folder for entry in attempt.entries):
        return attempt
    inner, junk = files_in_folders(attempt.entries)
    if not _has_expected(inner, assignment):
        return attempt
    entries, left_out = (*attempt.entries, *inner), (*attempt.left_out, *junk)
    return replace(attempt, entries=entries, left_out=left_out)


def _has_expected(entries: Sequence[Entry], assignment: Assignment) -> bool:
    names = assignment.submission_files
    for entry in entries:
        if entry.name in names or intended_name(entry.name, names) is not None:
            return True
        if assignment.laid_as is not None and entry.is_python:
            return True
        if may_stand_for(entry, assignment):
            return True
    return False


def files_in_folders(entries: Sequence[Entry]) -> tuple[list[Entry], list[str]]:
    """Return the files in these folders, down to `MAX_DEPTH`, and the paths of ignored files.

    Return two empty lists if one of the folders cannot be read, or if the folders have more than
    `MAX_ENTRIES` entries together.
    """
    files: list[Entry] = []
    left_out: list[str] = []
    count = 0

    def add(entries: Sequence[Entry], folder: str, depth: int) -> None:
        nonlocal count
        for entry in entries:
            if not entry.is_folder or depth > MAX_DEPTH:
                continue
            path = f"{folder}/{entry.name}".lstrip("/")
            inner, junk = without_junk(entry.everything(MAX_ENTRIES))
            left_out.extend(shown_path(f"{path}/{ignored.name}") for ignored in junk)
            count += len(inner)
            if count > MAX_ENTRIES:
                raise RefusedUpload(f"more than {MAX_ENTRIES} files")
            files.extend(replace(file, folder=path) for file in inner if not file.is_folder)
            add(inner, path, depth + 1)

    try:
        add(entries, "", 1)
    except (OSError, RefusedUpload):
        return [], []
    return files, left_out
