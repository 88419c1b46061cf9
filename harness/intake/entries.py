"""What lies in a folder, and reading one file of it without being led elsewhere."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

MAX_FILE_BYTES = 1024 * 1024
MAX_ENTRIES = 1000

_IGNORED = frozenset({"expect.yaml", "__pycache__", "__MACOSX", "Thumbs.db", "desktop.ini"})


class EntryKind(StrEnum):
    """What a directory entry is, links not followed."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "symbolic link"
    OTHER = "special file"


class Refused(Exception):  # noqa: N818  (an answer about one submission, not an error of ours)
    """One submission's file or folder is not read; `str()` is the reason, for its `problem`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A named thing among what was handed in. `load` reads a FILE; it may raise `Refused`.

    A folder's entries read from the disk; those of an archive can come from its members.
    """

    name: str
    kind: EntryKind
    load: Callable[[], bytes]

    @property
    def is_python(self) -> bool:
        """Whether the name says that it is a Python file."""
        return self.name.endswith(".py")


def entry_at(path: Path) -> Entry:
    """The entry of one path that is known to be there."""
    return Entry(name=path.name, kind=_kind(path), load=lambda: read_regular(path))


def entries_of(folder: Path) -> tuple[Entry, ...]:
    """The entries directly inside, by name; hidden files and our own marker files left out.

    Raises Refused for too many of them, OSError where the folder cannot be read.
    """
    names: list[str] = []
    with os.scandir(folder) as scan:
        for found in scan:
            if len(names) >= MAX_ENTRIES:
                raise Refused(f"more than {MAX_ENTRIES} files")
            if not found.name.startswith(".") and found.name not in _IGNORED:
                names.append(found.name)
    return tuple(entry_at(folder / name) for name in sorted(names))


def _kind(path: Path) -> EntryKind:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return EntryKind.LINK
    if stat.S_ISDIR(mode):
        return EntryKind.FOLDER
    return EntryKind.FILE if stat.S_ISREG(mode) else EntryKind.OTHER


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file; Refused for anything else, too much, or what cannot be read."""
    # O_NONBLOCK: a pipe that took the file's place since it was listed must not hold us up.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Refused("is not a regular file")
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise Refused(f"cannot be read ({error.strerror or error})") from None
    if len(data) > MAX_FILE_BYTES:
        raise Refused(f"is larger than {MAX_FILE_BYTES // 1024} KiB")
    return data
