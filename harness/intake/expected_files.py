"""The files of an attempt that are graded, or one sentence about what is wrong.

Expected files may be in a folder of the submission's folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from harness.intake.archives import same_name
from harness.intake.entries import MAX_ENTRIES, MAX_FILE_BYTES, Entry, EntryKind, Refused, described
from harness.intake.file_kinds import archive_suffix, original_name, recognise
from harness.intake.identity import listed
from harness.intake.uploads import Attempt
from harness.model.plan import Assignment, SourceFile
from harness.model.policy import MAX_SOURCE_BYTES

DEEPEST = 3


def select_files(attempt: Attempt, assignment: Assignment) -> Attempt:
    """With the expected files, or with the problem; whatever else was handed in is not read.

    Of several expected files those that cannot be read count as missing, each with a note.
    """
    if attempt.problem:
        return attempt
    try:
        return _chosen(attempt, assignment)
    except Refused as refusal:
        return replace(attempt, problem=str(refusal), ours=refusal.ours)


def _chosen(attempt: Attempt, assignment: Assignment) -> Attempt:
    expected = assignment.submission_files
    there = {
        name: entry for name in expected if (entry := _named(attempt, name, expected)) is not None
    }
    if assignment.laid_as or (attempt.loose and len(expected) == 1):
        return _one_file(attempt, assignment, list(there.values()))
    if not there:
        raise Refused(_wrong_names(attempt, assignment))
    files, refusals = [], []
    for name, entry in there.items():
        try:
            files.append(_load(entry, name, attempt))
        except Refused as refusal:
            if refusal.ours:
                raise
            refusals.append(str(refusal))
    if not files:
        raise Refused(refusals[0])
    notes = [*attempt.notes, *_folder_notes(attempt, list(there.values()))]
    notes += [f"{e.shown} was graded as {name}" for name, e in there.items() if e.name != name]
    notes += [*_other_copies(attempt, there), *refusals]
    if missing := [name for name in expected if name not in there]:
        others = [e for e in attempt.entries if e.is_python and e.name not in expected]
        but = f", but {described(others)}" if others else ""
        verb = "was" if len(missing) == 1 else "were"
        notes.append(f"{listed(missing)} {verb} not handed in{but}")
    return replace(attempt, files=tuple(files), notes=tuple(notes))


def _one_file(attempt: Attempt, assignment: Assignment, named: list[Entry]) -> Attempt:
    """A file of any name: the only one handed in, or the one that is named as expected."""
    laid_as = assignment.laid_as or assignment.submission_files[0]
    own = _named(attempt, laid_as, (laid_as,))
    if own is not None and own not in named:
        named = [*named, own]
    candidates = named or [entry for entry in attempt.entries if entry.is_python]
    if len(candidates) != 1:
        raise Refused(_wrong_names(attempt, assignment))
    entry = candidates[0]
    file = _load(entry, laid_as, attempt)
    notes = [*attempt.notes, *_folder_notes(attempt, [entry])]
    if entry.name not in (laid_as, *assignment.submission_files):
        notes.append(f"{entry.shown} was graded as {laid_as}")
    if assignment.laid_as is None:
        notes += _other_copies(attempt, {laid_as: entry})
    return replace(attempt, files=(file,), notes=tuple(notes))


def _named(attempt: Attempt, name: str, expected: Sequence[str]) -> Entry | None:
    """The entry of that name, else the only copy of it; Refused when there are two, or two in an
    archive that some systems confuse."""
    exact = [entry for entry in attempt.entries if entry.name == name]
    if len({entry.folder for entry in exact}) > 1 and not attempt.inside:
        raise Refused(f"found {described(exact)}, expected one file {name}")
    if len(exact) > 1 and not attempt.inside:
        raise Refused(f"found {len(exact)} files named {name}")
    if exact and attempt.inside:
        alike = [entry for entry in attempt.entries if same_name(entry.name, name)]
        if len(alike) > 1:
            names = described(alike)
            raise Refused(f"found {names} in {attempt.inside}, expected one file {name}")
    copies = exact or copies_of(name, attempt.entries, expected)
    if len(copies) > 1 and not exact:
        where = f" in {attempt.inside}" if attempt.inside else ""
        raise Refused(f"found {described(copies)}{where}, expected one file {name}")
    return copies[0] if copies else None


def copies_of(name: str, entries: Sequence[Entry], expected: Sequence[str]) -> list[Entry]:
    """The entries whose names are copies of this one of the expected names."""
    return [
        entry
        for entry in entries
        if not entry.is_folder and original_name(entry.name, expected) == name
    ]


def _other_copies(attempt: Attempt, chosen: Mapping[str, Entry]) -> list[str]:
    """A line about copies that lie beside the file that was taken."""
    others = [
        copy
        for name, entry in chosen.items()
        for copy in copies_of(name, attempt.entries, tuple(chosen))
        if copy is not entry
    ]
    if not others:
        return []
    return [f"{described(others)} {'was' if len(others) == 1 else 'were'} not graded"]


def _load(entry: Entry, laid_as: str, attempt: Attempt) -> SourceFile:
    name = f"{entry.shown} in {attempt.inside}" if attempt.inside else entry.shown
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


def _folder_notes(attempt: Attempt, entries: Sequence[Entry]) -> list[str]:
    inside = [entry for entry in entries if entry.folder]
    if not inside:
        return []
    were = "was" if len(inside) == 1 else "were"
    where = f"a folder inside {attempt.inside}" if attempt.inside else "a folder"
    return [f"{described(inside)} {were} in {where}"]


def _wrong_names(attempt: Attempt, assignment: Assignment) -> str:
    files = assignment.submission_files or (assignment.laid_as or "",)
    archive = None if attempt.inside else assignment.archive
    what = archive or listed(files)
    where = f" in {attempt.inside}" if attempt.inside else ""
    python = [entry for entry in attempt.entries if entry.is_python]
    packed = [entry for entry in attempt.entries if archive and archive_suffix(entry.name)]
    shown = packed or python or attempt.entries
    if not shown and not attempt.inside:
        return f"no file {what}"
    return f"found {described(shown) or 'no file'}{where}, expected {what}"


def look_inside(attempt: Attempt, assignment: Assignment) -> Attempt:
    """The same files, with those in folders (down to `DEEPEST`) added, where no expected file and
    no other program lies outside a folder, and an expected one does inside; else the same.

    Folders with more than `MAX_ENTRIES` entries in all are not looked into.
    """
    if attempt.problem or attempt.inside or _expected(attempt.entries, assignment):
        return attempt
    if any(entry.is_python and not entry.is_folder for entry in attempt.entries):
        return attempt
    try:
        inner = tuple(_files(attempt.entries, "", DEEPEST, [MAX_ENTRIES]))
    except (OSError, Refused):
        return attempt  # what is missing is said of the folder as it was handed in
    if not _expected(inner, assignment):
        return attempt
    return replace(attempt, entries=(*attempt.entries, *inner))


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
        if not entry.is_folder:
            continue
        path = f"{folder}/{entry.name}".lstrip("/")
        inner = entry.entries() if depth else ()
        budget[0] -= len(inner)
        if budget[0] < 0:
            raise Refused(f"more than {MAX_ENTRIES} files")
        for each in inner:
            if not each.is_folder:
                yield replace(each, folder=path)
        yield from _files(inner, path, depth - 1, budget)
