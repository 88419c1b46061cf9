"""Archives as entries: names and bytes, never a path on our disk.

Names that could lead out of a folder, or that could not stand in one together, make the whole
archive refused; what systems leave behind is left out of a student's.
Bulk downloads can be read here as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import BinaryIO

from harness.intake.archives.members import ArchiveReader, Caps, Member, ReadBudget
from harness.intake.archives.tar import tar_gz_members, tar_members
from harness.intake.archives.zip import zip_members
from harness.intake.files.entries import Entry, EntryKind, Refused, is_ignored
from harness.intake.files.file_kinds import HEAD_BYTES, FileKind, recognise
from harness.intake.identity import shown_path

READERS: Mapping[FileKind, ArchiveReader] = {
    FileKind.ZIP: zip_members,
    FileKind.TAR: tar_members,
    FileKind.GZIP: tar_gz_members,
}
_ENDINGS = {".zip": FileKind.ZIP, ".tar": FileKind.TAR}
_DRIVE = re.compile(r"[A-Za-z]:")
STANDARD_CAPS = Caps()


def kind_named(name: str) -> FileKind:
    """The kind of archive that a name promises whose ending is one of `ARCHIVE_ENDINGS`."""
    return _ENDINGS.get(PurePath(name).suffix, FileKind.GZIP)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedEntry:
    """An archive's contents: its files, links and special files, by folder and name; and the paths
    of its folders, empty ones too."""

    entries: tuple[Entry, ...]
    folders: tuple[str, ...]


def read_archive(stream: BinaryIO, kind: FileKind, caps: Caps = STANDARD_CAPS) -> tuple[Entry, ...]:
    """The entries alone of what `read_packed` gives."""
    found = read_packed(stream, kind, caps).entries
    return tuple(entry for entry in found if not _is_junk(_path(entry).split("/")))


def read_packed(stream: BinaryIO, kind: FileKind, caps: Caps) -> PackedEntry:
    """All of a seekable stream that should be an archive of this kind. Bytes of entries are read
    when asked for: keep the stream open.

    Raises Refused with a phrase that follows the archive's name ("is a RAR archive, …").
    """
    stream.seek(0)
    head = stream.read(HEAD_BYTES)
    found = recognise(head)
    if not head:
        raise Refused(f"is empty, expected {kind}")
    if found is not kind:
        raise Refused(f"is {found}, expected {kind}" if found else f"is not {kind}")
    entries: dict[str, Entry] = {}
    folders: set[str] = set()
    for member in READERS[kind](stream, ReadBudget(caps)):
        parts = _parts(member.name, caps)
        if not parts:
            continue
        path = "/".join(parts)
        folders.update("/".join(parts[:count]) for count in range(1, len(parts)))
        if member.kind is EntryKind.FOLDER:
            folders.add(path)
        elif path in entries and not _is_junk(parts):
            raise Refused(f"holds two files named {shown_path(path)}")
        else:
            entries[path] = _entry(parts, member)
    for path in entries:
        if path in folders and not _is_junk(path.split("/")):
            raise Refused(f"holds a file and a folder named {shown_path(path)}")
    return PackedEntry(
        entries=tuple(entries[path] for path in sorted(entries)), folders=tuple(sorted(folders))
    )


def same_name(one: str, other: str) -> bool:
    """Whether two names are one on some systems: case and composed letters left aside."""
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _is_junk(parts: Sequence[str]) -> bool:
    return any(map(is_ignored, parts))


def _path(entry: Entry) -> str:
    return f"{entry.folder}/{entry.name}".lstrip("/")


def _entry(parts: list[str], member: Member) -> Entry:
    return Entry(name=parts[-1], folder="/".join(parts[:-1]), kind=member.kind, start=member.start)


def _parts(name: str, caps: Caps) -> list[str]:
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
