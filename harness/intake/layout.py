"""Which submissions lie under a path: the layouts.

A layout turns a path into `Found` values and knows nothing of what is in the files. Layouts of
learning platforms join the plain one here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from harness.intake.entries import Entry, EntryKind, Refused, entries_of, entry_at
from harness.intake.identity import safe_id
from harness.intake.recognising import archive_suffix
from harness.model.errors import UserError
from harness.model.plan import Assignment

# A sample's folder is one submission even when its file has the wrong name.
_SAMPLE_MARKER = "expect.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One submission as it lies there. `identity` is what its student or folder is called.

    `loose`: a single file named after its student, which stands for the expected file.
    `problem` is set where the place itself cannot be read. `inside` names the archive that the
    entries come from, `notes` say what was done to get at them.
    """

    identity: str
    origin: str
    entries: tuple[Entry, ...] = ()
    loose: bool = False
    problem: str = ""
    inside: str = ""
    notes: tuple[str, ...] = ()


def plain(path: Path, assignment: Assignment) -> tuple[Found, ...]:
    """A lone file; a folder that is one submission; a folder of folders, of files, or of both.

    Raises UserError when the path itself is missing, unreadable or neither file nor folder.
    """
    try:
        if path.is_dir():
            return _folder(path, assignment)
        if not path.exists():
            raise UserError("there is no such file or folder", place=str(path))
        if not path.is_file() or not _may_be_one(path, assignment):
            raise UserError(
                "this is neither a folder nor a .py file",
                place=str(path),
                hint="unpack an archive first",
            )
        entry = replace(entry_at(path.resolve()), name=path.name)
        identity = _identity(path.name)
        found = Found(identity=identity, origin=str(path), entries=(entry,), loose=True)
    except Refused as refusal:
        raise UserError(f"this folder holds {refusal}", place=str(path)) from None
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror or error})", place=str(path)) from None
    return (found,)


def _folder(path: Path, assignment: Assignment) -> tuple[Found, ...]:
    entries = entries_of(path)
    expected = {*assignment.submission_files, assignment.archive}
    is_one = any(entry.name in expected and entry.kind is not EntryKind.FOLDER for entry in entries)
    if is_one or (path / _SAMPLE_MARKER).is_file():
        return (Found(identity=path.resolve().name, origin=str(path), entries=entries),)
    return tuple(
        _inside(path / entry.name, entry)
        for entry in entries
        if entry.is_python
        or archive_suffix(entry.name)
        or entry.kind in (EntryKind.FOLDER, EntryKind.LINK)
    )


def _may_be_one(path: Path, assignment: Assignment) -> bool:
    """Whether a file that the user names is a submission. Where no archive is to be handed in, one
    is rather a whole class that was downloaded."""
    is_archive = bool(assignment.archive and archive_suffix(path.name))
    return path.suffix == ".py" or is_archive


def _identity(name: str) -> str:
    return name.removesuffix(".py").removesuffix(archive_suffix(name))


def _inside(path: Path, entry: Entry) -> Found:
    if entry.kind is EntryKind.FOLDER:
        try:
            return Found(identity=entry.name, origin=str(path), entries=entries_of(path))
        except OSError as error:
            problem = f"the folder cannot be read ({error.strerror or error})"
        except Refused as refusal:
            problem = f"the folder holds {refusal}"
        return Found(identity=entry.name, origin=str(path), problem=problem)
    identity = _identity(entry.name)
    if entry.kind is EntryKind.LINK:
        problem = f"{safe_id(entry.name)} is a symbolic link, which is not followed"
        return Found(identity=identity, origin=str(path), problem=problem)
    return Found(identity=identity, origin=str(path), entries=(entry,), loose=True)
