"""A scenario's own working folder: made with the files it begins with, read when it is over.

What lies in it comes from a submission: names, links and sizes are read as data, nothing is
followed, and all of it is bounded.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.execution.scratch import remove_tree
from harness.model.assignment import SourceFile
from harness.model.observation import NamedValue
from harness.model.values import Value, ValueKind, file_value, place_value

_EMPTY, _FOLDERS = "empty", "files"
MOST_ENTRIES = 300
LARGEST_FILE = 1024 * 1024  # bytes; the kernel lets none become larger
LARGEST_FOLDER = 4 * LARGEST_FILE
TOO_FULL = f"more than {MOST_ENTRIES} files or {LARGEST_FOLDER >> 20} MiB in its folder"
_LONGEST_PATH = 500  # characters; the kernel reaches no file by more than 4,096 bytes
_NO_SURPRISE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_LOOK = 0.1  # seconds between two looks at what lies in it


def prepare(scratch: Path) -> Path:
    """Make, in a driver's own folder, an empty one for scenarios that need none, which is returned,
    and beside it the one that `folders_beside` names."""
    empty = scratch / _EMPTY
    empty.mkdir(mode=0o555)
    folders_beside(empty).mkdir(mode=0o555)
    scratch.chmod(0o555)
    return empty


def folders_beside(empty: Path) -> Path:
    """Where the folders of scenarios are made."""
    return empty.parent / _FOLDERS


class ScenarioFolder:
    """A folder of one scenario, to be removed with `remove`."""

    def __init__(self, above: Path, files: tuple[SourceFile, ...], owner: int | None) -> None:
        self.path = above / os.urandom(8).hex()
        self._next_look = 0.0
        above.chmod(0o755)  # what runs in a scenario may not put anything beside its folder
        try:
            self.path.mkdir(mode=0o700)
        finally:
            above.chmod(0o555)
        for file in files:
            (self.path / file.name).write_bytes(file.data)
        if owner is not None:
            for place in (self.path, *self.path.iterdir()):
                os.chown(place, owner, owner)

    def is_too_full(self) -> bool:
        """Whether more lies in it than is allowed; looks now and then only."""
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + _LOOK
        size = 0
        for entries, (name, status) in enumerate(_walk(self.path), 1):
            size += status.st_size if stat.S_ISREG(status.st_mode) else 0
            if entries > MOST_ENTRIES or size > LARGEST_FOLDER or len(name) > _LONGEST_PATH:
                return True
        return False

    def contents(self) -> tuple[NamedValue, ...]:
        """Every file, sorted by name: a text as a str, anything else by what it is."""
        found: list[NamedValue] = []
        left = LARGEST_FOLDER
        for name, status in _walk(self.path):
            if len(found) == MOST_ENTRIES:
                more = Value(ValueKind.TOO_LARGE, f"more than {MOST_ENTRIES} files")
                found.append(NamedValue(name="…", value=more))
                break
            value = _content(self.path / name, status, left)
            left -= status.st_size
            found.append(NamedValue(name=name, value=value))
        return tuple(sorted(found, key=lambda entry: entry.name))

    def remove(self) -> None:
        """Remove it and all that lies in it."""
        self.path.parent.chmod(0o755)
        remove_tree(self.path)
        self.path.parent.chmod(0o555)


FolderMaker = Callable[[tuple[SourceFile, ...]], ScenarioFolder]


def _walk(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """All that lies in it, as deep as paths reach."""
    pending = [""]
    while pending:
        below = pending.pop()
        with contextlib.suppress(OSError), os.scandir(folder / below) as entries:
            for entry in entries:
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                yield below + entry.name, status
                if stat.S_ISDIR(status.st_mode):
                    pending.append(f"{below}{entry.name}/")


def _content(path: Path, status: os.stat_result, left: int) -> Value:
    if stat.S_ISDIR(status.st_mode):
        return place_value("folder", "a folder")
    if stat.S_ISLNK(status.st_mode):
        return place_value("link", "a link")
    if not stat.S_ISREG(status.st_mode):
        return place_value("special file", "no regular file")
    if status.st_size > min(LARGEST_FILE, left):
        return Value(ValueKind.TOO_LARGE, f"a file of {status.st_size} bytes")
    try:
        number = os.open(path, os.O_RDONLY | _NO_SURPRISE)
        with os.fdopen(number, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        return Value(ValueKind.UNREADABLE, type(error).__name__)
    return file_value(data)
