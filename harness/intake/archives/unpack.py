"""From a folder that should hold an archive to the files in it."""

from __future__ import annotations

import io
from dataclasses import replace

from harness.intake.archives.members import MIB
from harness.intake.archives.reader import kind_named, read_archive
from harness.intake.files.entries import Entry, EntryKind, Refused, listed
from harness.intake.files.file_kinds import original_name
from harness.intake.files.uploads import AttemptFiles
from harness.model.plan import Assignment
from harness.model.submission import ARCHIVE_ENDINGS

MAX_ARCHIVE_BYTES = 32 * MIB


def unpack(found: AttemptFiles, assignment: Assignment) -> AttemptFiles:
    """The same submission with the archive's files in place of those in the folder.

    The expected files handed in without the archive stay, with a note: nothing about them is
    unclear. Where there is neither, all stays as it is, for `choose` to say what was expected.
    """
    wanted = assignment.archive
    if wanted is None or found.problem:
        return found
    archive = _archive(found, wanted)
    any_name = found.loose or assignment.laid_as is not None
    loose = [
        entry.shown
        for entry in found.entries
        if entry.name in assignment.submission_files or (any_name and entry.is_python)
    ]
    were = "was" if len(loose) == 1 else "were"
    if archive is None:
        note = f"{listed(loose)} {were} handed in without {wanted}"
        return replace(found, notes=(note,)) if loose else found
    notes = []
    if archive.name != wanted:
        notes.append(f"{archive.shown} was read as {wanted}")
    if loose:
        notes.append(f"{listed(loose)} beside {archive.shown} {were} not read")
    try:
        entries = _entries(archive, wanted)
    except Refused as refusal:
        return replace(found, problem=f"{archive.shown} {refusal}", ours=refusal.ours)
    return replace(found, entries=entries, inside=archive.shown, loose=False, notes=tuple(notes))


def _archive(found: AttemptFiles, wanted: str) -> Entry | None:
    """The entry of that name; or a lone file, which may have its student's name before the end."""
    for entry in found.entries:
        if entry.name == wanted:
            return entry
    copies = [e for e in found.entries if original_name(e.name, (wanted,)) == wanted]
    if len(copies) == 1:
        return copies[0]
    ending = next(end for end in ARCHIVE_ENDINGS if wanted.endswith(end))
    if found.loose and found.entries[0].name.lower().endswith(ending):
        return found.entries[0]
    return None


def _entries(archive: Entry, wanted: str) -> tuple[Entry, ...]:
    if archive.kind is EntryKind.LINK:
        raise Refused("is a symbolic link, which is not followed")
    if archive.kind is not EntryKind.FILE:
        raise Refused(f"is a {archive.kind}, expected {kind_named(wanted)}")
    return read_archive(io.BytesIO(archive.load(MAX_ARCHIVE_BYTES)), kind_named(wanted))
