"""The entries of a folder or an archive: what each is, its first bytes, its name in a sentence.

Links are not followed, and no more is read than was asked for.
"""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harness.common.errors import UserError
from harness.intake.files.file_kinds import ARCHIVES, HEAD_BYTES, recognise
from harness.intake.identity import safe_id, shown_path

MAX_FILE_BYTES = 1024 * 1024
MAX_ENTRIES = 1000

_IGNORED = frozenset({"expect.yaml", "__pycache__", "__MACOSX", "Thumbs.db", "desktop.ini"})
# Hidden names that systems, editors and tools make; a student's name may begin with a dot too.
_HIDDEN = frozenset(
    {
        ".DS_Store",
        ".Spotlight-V100",
        ".Trash",
        ".Trashes",
        ".TemporaryItems",
        ".cache",
        ".directory",
        ".env",
        ".fseventsd",
        ".git",
        ".gitattributes",
        ".github",
        ".gitignore",
        ".harness-cache",
        ".hg",
        ".hypothesis",
        ".idea",
        ".ipynb_checkpoints",
        ".localized",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        ".vscode",
    }
)


class EntryKind(StrEnum):
    """What a directory entry is, links not followed."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "symbolic link"
    OTHER = "special file"


class Refused(Exception):  # noqa: N818  (an answer about one submission, not an error of ours)
    """One submission's file or folder is not read; `str()` is the reason, for its `problem`.

    `ours`: that says nothing about the student (our disk, our copy of the download).
    """

    def __init__(self, reason: str, *, ours: bool = False) -> None:
        super().__init__(reason)
        self.ours = ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file, folder or link that was handed in, on the disk or in an archive.

    `start(n)` gives the first n bytes of a FILE, or all where there are fewer; it may raise
    `Refused`. `folder` is where it lies in its archive or in the submission's folder: "", "A3" or
    "A3/src". `inside()` gives the entries of a FOLDER on the disk or in a class's archive; it may
    raise OSError or `Refused`.
    """

    name: str
    kind: EntryKind
    start: Callable[[int], bytes]
    folder: str = ""
    inside: Callable[[], tuple[Entry, ...]] = tuple

    @property
    def is_python(self) -> bool:
        """Whether the name says that it is a Python file."""
        return self.name.endswith(".py")

    @property
    def shown(self) -> str:
        """The name, after that of its folder, as it can be printed."""
        return shown_path(f"{self.folder}/{self.name}") if self.folder else safe_id(self.name)

    def load(self, limit: int = MAX_FILE_BYTES) -> bytes:
        """All bytes of a FILE; Refused if there are more than `limit`, or it cannot be read."""
        data = self.start(limit + 1)
        if len(data) > limit:
            raise Refused(f"is larger than {limit // 1024} KiB")
        return data


def entry_at(path: Path) -> Entry:
    """The entry of one path that is known to be there."""
    return Entry(name=path.name, kind=_kind(path), start=lambda size: read_regular(path, size))


def entries_of(folder: Path, most: int = MAX_ENTRIES) -> tuple[Entry, ...]:
    """All entries directly inside, by name.

    Raises Refused for too many of them, OSError where the folder cannot be read.
    """
    names: list[str] = []
    with os.scandir(folder) as scan:
        for found in scan:
            if len(names) >= most:
                raise Refused(f"more than {most} files")
            names.append(found.name)
    return tuple(entry_at(folder / name) for name in sorted(names))


def is_ignored(name: str) -> bool:
    """Whether it is hidden, or left behind by a system or by Python: in a student's folder."""
    return name.startswith(".") or name in _IGNORED or name.endswith(".pyc")


def is_left_behind(name: str) -> bool:
    """The same beside students' folders and files, where a name with a dot may be a student's."""
    known = name in _IGNORED or name in _HIDDEN
    return known or name.startswith("._") or name.endswith(".pyc")


def _kind(path: Path) -> EntryKind:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return EntryKind.LINK
    if stat.S_ISDIR(mode):
        return EntryKind.FOLDER
    return EntryKind.FILE if stat.S_ISREG(mode) else EntryKind.OTHER


def read_regular(path: Path, size: int) -> bytes:
    """The first `size` bytes of a regular file; Refused for anything else or what is unreadable."""
    # O_NONBLOCK: a pipe that took the file's place since it was listed must not hold us up.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise Refused("is not a regular file")
            # As much memory is taken as is asked for, whatever is there.
            return file.read(min(size, status.st_size + 1))
    except OSError as error:
        raise Refused(f"cannot be read ({error.strerror or error})") from None


GO_THERE = "name the file with its folder, or go to that folder first (cd)"
_ALIKE = 0.5  # a1 and a1.py are


def must_exist(path: Path) -> None:
    """Raise UserError when there is no such file or folder. The hint names one of nearly this name:
    a letter is wrong, or a system does not show the ending."""
    if path.exists():
        return
    folder = path.parent
    names = [inside.name for inside in folder.iterdir()] if folder.is_dir() else []
    alike = difflib.get_close_matches(path.name, sorted(names), 1, _ALIKE)
    hint = f"is it {alike[0]}?" if alike else GO_THERE
    raise UserError("there is no such file or folder", place=str(path), hint=hint)


_NAMES_SHOWN = 5


def listed(names: Sequence[str]) -> str:
    """`a, b and c`, of many the first few."""
    shown = list(names[:_NAMES_SHOWN])
    if len(names) > _NAMES_SHOWN:
        shown.append(f"{len(names) - _NAMES_SHOWN} more")
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + " and " + shown[-1]


def described(entries: Sequence[Entry]) -> str:
    """The names listed; of an archive also what kind it really is."""
    shown = [_described(entry) for entry in entries[:_NAMES_SHOWN]]
    return listed(shown + [entry.shown for entry in entries[_NAMES_SHOWN:]])


def _described(entry: Entry) -> str:
    if entry.is_python or entry.kind is not EntryKind.FILE:
        return entry.shown
    try:
        kind = recognise(entry.start(HEAD_BYTES))
    except Refused:
        return entry.shown
    return f"{entry.shown} ({kind})" if kind in ARCHIVES else entry.shown
