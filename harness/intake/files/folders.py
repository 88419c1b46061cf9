"""Folders on the disk or in an archive: to a layout they are the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Protocol

from harness.common.errors import UserError
from harness.intake.archives.members import MIB, Caps, ReadBudget
from harness.intake.archives.reader import PackedEntry, read_packed
from harness.intake.archives.tar import decompressed
from harness.intake.files.entries import (
    MAX_ENTRIES,
    Entry,
    EntryKind,
    Refused,
    entries_of,
    is_ignored,
)
from harness.intake.files.file_kinds import HEAD_BYTES, FileKind, recognise

# A class, not a submission: what is read of it is counted all the same.
CLASS_CAPS = Caps(members=200_000, unpacked_bytes=4096 * MIB)
MAX_CLASS_ENTRIES = 100_000

# A sample's folder is one submission even when its file has the wrong name.
_SAMPLE_MARKER = "expect.yaml"


class Folder(Protocol):
    """A folder. `name` is its own, `shown` says where it is."""

    @property
    def name(self) -> str:
        """Its own name."""

    @property
    def shown(self) -> str:
        """Where it is, for messages."""

    @property
    def is_packed(self) -> bool:
        """Whether it is in an archive."""

    @property
    def is_sample(self) -> bool:
        """Whether it is one of the course's own sample submissions."""

    def everything(self, most: int) -> tuple[Entry, ...]:
        """What is directly inside, by name. Raises OSError, or Refused for more than `most`."""

    def entries(self, most: int = MAX_ENTRIES) -> tuple[Entry, ...]:
        """The same without what is hidden, or left behind by a system or by Python."""

    def inside(self, name: str) -> Folder:
        """The folder of that name directly inside."""


@dataclass(frozen=True, slots=True)
class DiskFolder:
    """A folder on the disk."""

    path: Path
    is_packed: bool = field(default=False, init=False)

    @property
    def name(self) -> str:
        """Its own name."""
        return self.path.resolve().name

    @property
    def shown(self) -> str:
        """Its path."""
        return str(self.path)

    @property
    def is_sample(self) -> bool:
        """Whether it is one of the course's own sample submissions."""
        return (self.path / _SAMPLE_MARKER).is_file()

    def everything(self, most: int) -> tuple[Entry, ...]:
        """What is directly inside; a file that we may not read is not the student's fault."""
        return tuple(_openable(self, _ours(entry)) for entry in entries_of(self.path, most))

    def entries(self, most: int = MAX_ENTRIES) -> tuple[Entry, ...]:
        """The same without what is ignored."""
        return _not_ignored(self.everything(most))

    def inside(self, name: str) -> Folder:
        """The folder of that name directly inside."""
        return DiskFolder(self.path / name)


@dataclass(frozen=True, slots=True)
class PackedFolder:
    """A folder in an archive: nothing of it is ever a path on our disk."""

    archive: Path
    by_folder: dict[str, tuple[Entry, ...]]
    path: str = ""
    is_packed: bool = field(default=True, init=False)
    is_sample: bool = field(default=False, init=False)

    @property
    def name(self) -> str:
        """Its own name; of the whole archive that without its ending."""
        return self.path.rpartition("/")[2] or self.archive.name.partition(".")[0]

    @property
    def shown(self) -> str:
        """The archive's path and the one inside."""
        return f"{self.archive}/{self.path}".rstrip("/")

    def everything(self, most: int) -> tuple[Entry, ...]:
        """What is directly inside."""
        found = self.by_folder.get(self.path, ())
        if len(found) > most:
            raise Refused(f"more than {most} files")
        return tuple(_openable(self, entry) for entry in found)

    def entries(self, most: int = MAX_ENTRIES) -> tuple[Entry, ...]:
        """The same without what is ignored."""
        return _not_ignored(self.everything(most))

    def inside(self, name: str) -> Folder:
        """The folder of that name directly inside."""
        path = f"{self.path}/{name}".lstrip("/")
        return PackedFolder(self.archive, self.by_folder, path)


@contextmanager
def unpacked(path: Path, caps: Caps = CLASS_CAPS) -> Iterator[Folder]:
    """A class's archive as a folder, to be read while the context lasts.

    Raises UserError when it is no archive that can be read, or is more than the caps allow.
    """
    with ExitStack() as stack:
        try:
            place = _opened(path, caps, stack)
        except Refused as refusal:
            hint = "download it again, or unpack it yourself and name the folder"
            raise UserError(str(refusal), place=str(path), hint=hint) from None
        except OSError as error:
            what = f"cannot be read ({error.strerror or error})"
            raise UserError(what, place=str(path)) from None
        yield place


def _opened(path: Path, caps: Caps, stack: ExitStack) -> Folder:
    stream: BinaryIO = stack.enter_context(path.open("rb"))
    kind = recognise(stream.read(HEAD_BYTES))
    if kind is FileKind.GZIP:
        whole = stack.enter_context(TemporaryFile())  # noqa: SIM115
        _decompress(stream, whole, caps)
        kind, stream = FileKind.TAR, whole
    if kind not in (FileKind.ZIP, FileKind.TAR):
        raise Refused(f"is {kind or 'no archive'}, expected a zip or tar archive")
    return PackedFolder(path, _by_folder(read_packed(stream, kind, caps)))


def _decompress(stream: BinaryIO, whole: BinaryIO, caps: Caps) -> None:
    budget = ReadBudget(caps)
    stream.seek(0)
    for chunk in decompressed(stream):
        budget.spend(len(chunk))
        whole.write(chunk)


def _by_folder(packed: PackedEntry) -> dict[str, tuple[Entry, ...]]:
    below: dict[str, list[Entry]] = {}
    for folder in packed.folders:
        parent, _, name = folder.rpartition("/")
        below.setdefault(parent, []).append(
            Entry(name=name, kind=EntryKind.FOLDER, start=_no_bytes)
        )
    for entry in packed.entries:
        below.setdefault(entry.folder, []).append(_ours(replace(entry, folder="")))
    return {folder: _sorted(entries) for folder, entries in below.items()}


def _not_ignored(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    return tuple(entry for entry in entries if not is_ignored(entry.name))


def _sorted(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: entry.name))


def _openable(place: Folder, entry: Entry) -> Entry:
    """The same entry; a folder can be looked into."""
    if entry.kind is not EntryKind.FOLDER:
        return entry
    return replace(entry, inside=lambda: place.inside(entry.name).entries())


def _ours(entry: Entry) -> Entry:
    """The same entry; that its bytes cannot be had is no fault of the student's."""

    def start(size: int) -> bytes:
        try:
            return entry.start(size)
        except Refused as refusal:
            raise Refused(str(refusal), ours=True) from None

    return replace(entry, start=start)


def _no_bytes(size: int) -> bytes:
    return b""
