"""What was handed in, on the disk or in an archive: files, folders and links, and their names in a
sentence.

Links are not followed, and no more is read than was asked for.
"""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from harness.common.errors import UserError
from harness.intake.file_kinds import ARCHIVES, HEAD_BYTES, recognise
from harness.intake.identity import listed, safe_id, shown_path

MAX_FILE_BYTES = 1024 * 1024
MAX_ENTRIES = 1000
MAX_CLASS_ENTRIES = 100_000

_IGNORED = frozenset({"expect.yaml", "__pycache__", "__MACOSX", "Thumbs.db", "desktop.ini"})
# Hidden names that systems, editors and tools make; a student's name may begin with a dot too.
_HIDDEN = frozenset(
    {
        *(".DS_Store", ".Spotlight-V100", ".Trash", ".Trashes", ".TemporaryItems", ".directory"),
        *(".fseventsd", ".localized", ".cache", ".env", ".venv", ".tox", ".nox", ".idea"),
        *(".git", ".gitattributes", ".github", ".gitignore", ".hg", ".svn", ".vscode"),
        *(".harness-cache", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache"),
        ".ipynb_checkpoints",
    }
)


class EntryKind(StrEnum):
    """What an entry is, links not followed."""

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


def _no_bytes(size: int) -> bytes:
    return b""


def _nothing_inside(most: int) -> tuple[Entry, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file, folder or link that was handed in, on the disk or in an archive.

    `start(n)` gives the first n bytes of a FILE, or all where there are fewer; Refused where it
    cannot be read. `everything(most)` gives what is directly in a FOLDER, by name; it raises
    OSError, or Refused for more than `most`.
    """

    name: str
    kind: EntryKind
    where: str = ""  # of a folder: its path, after that of an archive, for messages
    folder: str = ""  # where it is in its archive or in the submission: "", "A3" or "A3/src"
    is_packed: bool = False
    start: Callable[[int], bytes] = _no_bytes
    everything: Callable[[int], tuple[Entry, ...]] = _nothing_inside

    @property
    def is_python(self) -> bool:
        """Whether the name says that it is a Python file."""
        return self.name.endswith(".py")

    @property
    def is_folder(self) -> bool:
        """Whether it is one; a link in place of a file is refused when it is read."""
        return self.kind is EntryKind.FOLDER

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

    def entries(self, most: int = MAX_ENTRIES) -> tuple[Entry, ...]:
        """What is directly inside, without what is ignored in a student's folder."""
        return tuple(entry for entry in self.everything(most) if not is_ignored(entry.name))


def file_at(path: Path) -> Entry:
    """A file that the user names, which may be a link."""
    actual = path.resolve()
    start = partial(_first_bytes, actual, ours=False)
    return Entry(name=path.name, kind=_kind(actual), where=str(path), start=start)


def folder_at(path: Path) -> Entry:
    """A folder on the disk. That we may not read a file in it is no fault of the student's."""
    return _folder(path, path.resolve().name)


def _folder(path: Path, name: str) -> Entry:
    inside = partial(_inside, path)
    return Entry(name=name, kind=EntryKind.FOLDER, where=str(path), everything=inside)


def _inside(folder: Path, most: int) -> tuple[Entry, ...]:
    names: list[str] = []
    with os.scandir(folder) as scan:
        for item in scan:
            if len(names) >= most:
                raise Refused(f"more than {most} files")
            names.append(item.name)
    return tuple(_entry(folder / name) for name in sorted(names))


def _entry(path: Path) -> Entry:
    kind = _kind(path)
    if kind is EntryKind.FOLDER:
        return _folder(path, path.name)
    return Entry(name=path.name, kind=kind, start=partial(_first_bytes, path, ours=True))


def _kind(path: Path) -> EntryKind:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return EntryKind.LINK
    if stat.S_ISDIR(mode):
        return EntryKind.FOLDER
    return EntryKind.FILE if stat.S_ISREG(mode) else EntryKind.OTHER


def _first_bytes(path: Path, size: int, *, ours: bool) -> bytes:
    # O_NONBLOCK: a pipe that took the file's place since it was listed must not hold us up.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise Refused("is not a regular file", ours=ours)
            # As much memory is taken as is asked for, whatever is there.
            return file.read(min(size, status.st_size + 1))
    except OSError as error:
        raise Refused(f"cannot be read ({error.strerror or error})", ours=ours) from None


def is_ignored(name: str) -> bool:
    """Whether it is hidden, or left behind by a system or by Python: in a student's folder."""
    return name.startswith(".") or name in _IGNORED or name.endswith(".pyc")


def is_left_behind(name: str) -> bool:
    """The same beside students' folders and files, where a name with a dot may be a student's."""
    is_known = name in _IGNORED or name in _HIDDEN
    return is_known or name.startswith("._") or name.endswith(".pyc")


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


def described(entries: Sequence[Entry]) -> str:
    """The names listed; of an archive also what kind it really is."""
    return listed(entries, _described)


def _described(entry: Entry) -> str:
    if entry.is_python or entry.kind is not EntryKind.FILE:
        return entry.shown
    try:
        kind = recognise(entry.start(HEAD_BYTES))
    except Refused:
        return entry.shown
    return f"{entry.shown} ({kind})" if kind in ARCHIVES else entry.shown
