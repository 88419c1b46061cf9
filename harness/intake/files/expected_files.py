"""The files of an attempt that are graded, or one sentence about what is wrong.

Expected files may lie in a folder of the submission's folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.intake.archives.reader import same_name
from harness.intake.files.entries import (
    MAX_ENTRIES,
    MAX_FILE_BYTES,
    Entry,
    EntryKind,
    Refused,
    described,
    listed,
)
from harness.intake.files.file_kinds import archive_suffix, original_name, recognise
from harness.intake.files.uploads import AttemptFiles
from harness.model.plan import Assignment, SourceFile
from harness.model.policy import MAX_SOURCE_BYTES

DEEPEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedFiles:
    """The files to grade, under the names they are run by; or the `problem`, and whether it is
    `ours`: no fault of the student's."""

    files: tuple[SourceFile, ...] = ()
    problem: str = ""
    ours: bool = False
    notes: tuple[str, ...] = ()


def select_files(found: AttemptFiles, assignment: Assignment) -> SelectedFiles:
    """Take the expected files and no others; whatever else was handed in is not read.

    Of several expected files those that cannot be read count as missing, each with a note.
    """
    if found.problem:
        return SelectedFiles(problem=found.problem, ours=found.ours, notes=found.notes)
    try:
        return _chosen(found, assignment)
    except Refused as refusal:
        return SelectedFiles(problem=str(refusal), ours=refusal.ours, notes=found.notes)


def _chosen(found: AttemptFiles, assignment: Assignment) -> SelectedFiles:
    expected = assignment.submission_files
    there = {
        name: entry for name in expected if (entry := _named(found, name, expected)) is not None
    }
    if assignment.laid_as or (found.loose and len(expected) == 1):
        return _one_file(found, assignment, list(there.values()))
    if not there:
        raise Refused(_wrong_names(found, assignment))
    files, refusals = [], []
    for name, entry in there.items():
        try:
            files.append(_load(entry, name, found))
        except Refused as refusal:
            if refusal.ours:
                raise
            refusals.append(str(refusal))
    if not files:
        raise Refused(refusals[0])
    notes = [*found.notes, *_folder_notes(found, list(there.values()))]
    notes += [f"{e.shown} was graded as {name}" for name, e in there.items() if e.name != name]
    notes += [*_other_copies(found, there), *refusals]
    if missing := [name for name in expected if name not in there]:
        others = [e for e in found.entries if e.is_python and e.name not in expected]
        but = f", but {described(others)}" if others else ""
        verb = "was" if len(missing) == 1 else "were"
        notes.append(f"{listed(missing)} {verb} not handed in{but}")
    return SelectedFiles(files=tuple(files), notes=tuple(notes))


def _one_file(found: AttemptFiles, assignment: Assignment, named: list[Entry]) -> SelectedFiles:
    """A file of any name: the only one handed in, or the one that is named as expected."""
    laid_as = assignment.laid_as or assignment.submission_files[0]
    own = _named(found, laid_as, (laid_as,))
    if own is not None and own not in named:
        named = [*named, own]
    candidates = named or [entry for entry in found.entries if entry.is_python]
    if len(candidates) != 1:
        raise Refused(_wrong_names(found, assignment))
    entry = candidates[0]
    file = _load(entry, laid_as, found)
    notes = [*found.notes, *_folder_notes(found, [entry])]
    if entry.name not in (laid_as, *assignment.submission_files):
        notes.append(f"{entry.shown} was graded as {laid_as}")
    if assignment.laid_as is None:
        notes += _other_copies(found, {laid_as: entry})
    return SelectedFiles(files=(file,), notes=tuple(notes))


def _named(found: AttemptFiles, name: str, expected: Sequence[str]) -> Entry | None:
    """The entry of that name, else the only copy of it; Refused when there are two, or two in an
    archive that some systems confuse."""
    exact = [entry for entry in found.entries if entry.name == name]
    if len({entry.folder for entry in exact}) > 1 and not found.inside:
        raise Refused(f"found {described(exact)}, expected one file {name}")
    if len(exact) > 1 and not found.inside:
        raise Refused(f"found {len(exact)} files named {name}")
    if exact and found.inside:
        alike = [entry for entry in found.entries if same_name(entry.name, name)]
        if len(alike) > 1:
            names = described(alike)
            raise Refused(f"found {names} in {found.inside}, expected one file {name}")
    copies = exact or copies_of(name, found.entries, expected)
    if len(copies) > 1 and not exact:
        where = f" in {found.inside}" if found.inside else ""
        raise Refused(f"found {described(copies)}{where}, expected one file {name}")
    return copies[0] if copies else None


def copies_of(name: str, entries: Sequence[Entry], expected: Sequence[str]) -> list[Entry]:
    """The entries whose names are copies of this one of the expected names."""
    return [
        entry
        for entry in entries
        if entry.kind is not EntryKind.FOLDER and original_name(entry.name, expected) == name
    ]


def _other_copies(found: AttemptFiles, chosen: Mapping[str, Entry]) -> list[str]:
    """A line about copies that lie beside the file that was taken."""
    others = [
        copy
        for name, entry in chosen.items()
        for copy in copies_of(name, found.entries, tuple(chosen))
        if copy is not entry
    ]
    if not others:
        return []
    return [f"{described(others)} {'was' if len(others) == 1 else 'were'} not graded"]


def _load(entry: Entry, laid_as: str, found: AttemptFiles) -> SourceFile:
    name = f"{entry.shown} in {found.inside}" if found.inside else entry.shown
    if entry.kind is EntryKind.LINK:
        raise Refused(f"{name} is a symbolic link, which is not followed")
    if entry.kind is not EntryKind.FILE:
        raise Refused(f"{name} is a {entry.kind.value}, not a file")
    try:
        data = entry.load(MAX_SOURCE_BYTES if laid_as.endswith(".py") else MAX_FILE_BYTES)
    except Refused as refusal:
        raise Refused(f"{name} {refusal}", ours=refusal.ours) from None
    kind = recognise(data) if laid_as.endswith(".py") else None
    if kind is not None:
        raise Refused(f"found {kind} named {name}, expected a Python file")
    return SourceFile(name=laid_as, data=data)


def _folder_notes(found: AttemptFiles, entries: Sequence[Entry]) -> list[str]:
    inside = [entry for entry in entries if entry.folder]
    if not inside:
        return []
    were = "was" if len(inside) == 1 else "were"
    where = f"a folder inside {found.inside}" if found.inside else "a folder"
    return [f"{described(inside)} {were} in {where}"]


def _wrong_names(found: AttemptFiles, assignment: Assignment) -> str:
    files = assignment.submission_files or (assignment.laid_as or "",)
    archive = None if found.inside else assignment.archive
    wanted = archive or listed(files)
    where = f" in {found.inside}" if found.inside else ""
    python = [entry for entry in found.entries if entry.is_python]
    packed = [entry for entry in found.entries if archive and archive_suffix(entry.name)]
    shown = packed or python or found.entries
    if not shown and not found.inside:
        return f"no file {wanted}"
    return f"found {described(shown) or 'no file'}{where}, expected {wanted}"


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
