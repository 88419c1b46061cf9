"""Archives as entries: names and bytes, never a path on our disk.

Names that could lead out of a folder, or that could not be in one together, make the whole archive
refused; what systems leave behind is left out of a student's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from tempfile import TemporaryFile
from typing import BinaryIO

from harness.common.errors import UserError
from harness.intake.archive_formats import MIB, READERS, Caps, ReadBudget, decompressed
from harness.intake.entries import Entry, EntryKind, Refused, is_ignored
from harness.intake.file_kinds import HEAD_BYTES, FileKind, recognise
from harness.intake.identity import shown_path

_ENDINGS = {".zip": FileKind.ZIP, ".tar": FileKind.TAR}
_DRIVE = re.compile(r"[A-Za-z]:")
STANDARD_CAPS = Caps()
# A class, not a submission: what is read of it is counted all the same.
CLASS_CAPS = Caps(members=200_000, unpacked_bytes=4096 * MIB)


def kind_named(name: str) -> FileKind:
    """The kind of archive that a name promises whose ending is one of `ARCHIVE_ENDINGS`."""
    return _ENDINGS.get(PurePath(name).suffix, FileKind.GZIP)


def read_archive(stream: BinaryIO, kind: FileKind, caps: Caps = STANDARD_CAPS) -> tuple[Entry, ...]:
    """The files, links and special files of a seekable stream that should be an archive of this
    kind, by path, without what is ignored. Keep the stream open: bytes are read when asked for.

    Raises Refused with a phrase that follows the archive's name ("is a RAR archive, …").
    """
    entries = _read(stream, kind, caps)
    return tuple(e for e in entries if not e.is_folder and not _is_junk(_parts(e)))


@contextmanager
def unpacked(path: Path, caps: Caps = CLASS_CAPS) -> Iterator[Entry]:
    """A class's archive as a folder, to be read while the context lasts.

    Raises UserError when it is no archive that can be read, or is more than the caps allow.
    """
    with ExitStack() as stack:
        try:
            folder = _opened(path, caps, stack)
        except Refused as refusal:
            hint = "download it again, or unpack it yourself and name the folder"
            raise UserError(str(refusal), place=str(path), hint=hint) from None
        except OSError as error:
            what = f"cannot be read ({error.strerror or error})"
            raise UserError(what, place=str(path)) from None
        yield folder


def _opened(path: Path, caps: Caps, stack: ExitStack) -> Entry:
    stream: BinaryIO = stack.enter_context(path.open("rb"))
    kind = recognise(stream.read(HEAD_BYTES))
    if kind is FileKind.GZIP:
        whole = stack.enter_context(TemporaryFile())  # noqa: SIM115
        budget = ReadBudget(caps)
        stream.seek(0)
        for chunk in decompressed(stream):
            budget.spend(len(chunk))
            whole.write(chunk)
        kind, stream = FileKind.TAR, whole
    if kind not in (FileKind.ZIP, FileKind.TAR):
        raise Refused(f"is {kind or 'no archive'}, expected a zip or tar archive")
    by_folder: dict[str, list[Entry]] = {}
    for entry in _read(stream, kind, caps):
        by_folder.setdefault(entry.folder, []).append(replace(entry, folder=""))
    return _folder(path, by_folder, "")


def _folder(archive: Path, by_folder: dict[str, list[Entry]], path: str) -> Entry:
    """A folder in a class's archive: nothing of it is ever a path on our disk."""

    def everything(most: int) -> tuple[Entry, ...]:
        inside = by_folder.get(path, [])
        if len(inside) > most:
            raise Refused(f"more than {most} files")
        return tuple(
            _folder(archive, by_folder, f"{path}/{entry.name}".lstrip("/"))
            if entry.is_folder
            else replace(entry, start=partial(_bytes_of_ours, entry))
            for entry in sorted(inside, key=lambda entry: entry.name)
        )

    return Entry(
        name=path.rpartition("/")[2] or archive.name.partition(".")[0],
        kind=EntryKind.FOLDER,
        where=f"{archive}/{path}".rstrip("/"),
        is_packed=True,
        everything=everything,
    )


def _bytes_of_ours(entry: Entry, size: int) -> bytes:
    """That they cannot be had is no fault of the student's."""
    try:
        return entry.start(size)
    except Refused as refusal:
        raise Refused(str(refusal), ours=True) from None


def _read(stream: BinaryIO, kind: FileKind, caps: Caps) -> tuple[Entry, ...]:
    """Everything in the archive and all its folders, by path."""
    stream.seek(0)
    head = stream.read(HEAD_BYTES)
    actual = recognise(head)
    if not head:
        raise Refused(f"is empty, expected {kind}")
    if actual is not kind:
        raise Refused(f"is {actual}, expected {kind}" if actual else f"is not {kind}")
    entries: dict[str, Entry] = {}
    folders: dict[str, Entry] = {}
    for member in READERS[kind](stream, ReadBudget(caps)):
        parts = _checked_parts(member.name, caps)
        above = parts if member.is_folder else parts[:-1]
        for count, name in enumerate(above):
            path = "/".join(above[: count + 1])
            if path not in folders:
                folder = "/".join(above[:count])
                folders[path] = Entry(name=name, folder=folder, kind=EntryKind.FOLDER)
        if member.is_folder or not parts:
            continue
        path = "/".join(parts)
        if path in entries and not _is_junk(parts):
            raise Refused(f"holds two files named {shown_path(path)}")
        entries[path] = replace(member, name=parts[-1], folder="/".join(parts[:-1]))
    for path in entries:
        if path in folders and not _is_junk(path.split("/")):
            raise Refused(f"holds a file and a folder named {shown_path(path)}")
    return tuple(by_path[path] for by_path in (folders, entries) for path in sorted(by_path))


def same_name(one: str, other: str) -> bool:
    """Whether two names are one on some systems: case and composed letters left aside."""
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _is_junk(parts: Sequence[str]) -> bool:
    return any(map(is_ignored, parts))


def _parts(entry: Entry) -> list[str]:
    return f"{entry.folder}/{entry.name}".lstrip("/").split("/")


def _checked_parts(name: str, caps: Caps) -> list[str]:
    """The folders and the name of a member; Refused for what is no plain path below a folder."""
    shown = shown_path(name)
    if len(name) > caps.name_length:
        raise Refused(f"holds a name of {len(name)} characters")
    if name.startswith("/") or _DRIVE.match(name):
        raise Refused(f"holds an absolute path ({shown})")
    if "\\" in name:
        raise Refused(f"holds a path with a backslash ({shown})")
    if "\0" in name:
        raise Refused(f"holds a name with a NUL character ({shown})")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Refused(f"holds a path that leads out of it ({shown})")
    if len(parts) > caps.depth:
        raise Refused(f"holds folders more than {caps.depth} deep")
    return parts
