"""Makes a scenario's working folder with its first files, and reads it afterwards.

A submission wrote the files, so they are read only as data, up to a limit, and links are not
followed.
"""

import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.execution.inside.messages.codec import encodable
from harness.model.assignment import SourceFile
from harness.model.observation import NamedValue
from harness.model.values import Value, ValueKind, file_value, folder_value, place_value

MAX_ENTRIES = 300
MAX_FILE_SIZE = 1024 * 1024  # bytes; the kernel lets none become larger
MAX_FOLDER_SIZE = 4 * MAX_FILE_SIZE
MORE_FILES = "…"  # the name of the entry for files that are not listed
TOO_FULL = f"more than {MAX_ENTRIES} files or {MAX_FOLDER_SIZE >> 20} MiB in its folder"
_MAX_PATH_LENGTH = 500  # characters; the kernel reaches no file by more than 4,096 bytes
_NO_SURPRISE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
# Nobody lists the folder of scenarios' folders: when that was would tell the next scenario.
_CLOSED = 0o111
_OPEN_TO_CHANGES = 0o311
_MAX_LISTINGS = 5  # some file systems note no access at all
_CLOCK_TICK = 0.004  # seconds
SECONDS_BETWEEN_LOOKS = 0.1  # at what lies in it


def prepare(scratch: Path) -> Path:
    """Make two folders in the driver's own folder.

    Return the empty one, for scenarios without files; `folders_beside` returns the other one.
    """
    empty = scratch / "empty"
    empty.mkdir(mode=0o555)
    folders_beside(empty).mkdir(mode=_CLOSED)
    scratch.chmod(0o555)  # who finds it left behind has to lock it
    for folder in (empty, scratch):
        _note_access(folder)
    return empty


def _note_access(folder: Path) -> None:
    """List a folder after its last change.

    The kernel records only the first access after a change, so a program's own access leaves no
    trace for others.
    """
    for _ in range(_MAX_LISTINGS):
        tuple(folder.iterdir())
        status = folder.stat()
        if status.st_atime_ns > max(status.st_mtime_ns, status.st_ctime_ns):
            return
        time.sleep(_CLOCK_TICK)


def folders_beside(empty: Path) -> Path:
    """Return the folder in which scenarios' folders are made."""
    return empty.parent / "files"


class ScenarioFolder:
    """The working folder of one scenario. Call `remove` afterwards."""

    def __init__(
        self,
        above: Path,
        files: tuple[SourceFile, ...],
        owner: int | None,
        *,
        guest: int | None = None,
    ) -> None:
        """Make the folder for the processes of the user `owner` (None: the user of this
        process). If there is a `guest`, that user may write there too."""
        self.path = above / os.urandom(8).hex()
        self._next_look = 0.0
        # What runs in a scenario may not put anything beside its folder.
        above.chmod(_OPEN_TO_CHANGES)
        try:
            self.path.mkdir(mode=0o700)
        finally:
            above.chmod(_CLOSED)
        for file in files:
            place = self.path / file.name
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.write_bytes(file.data)
        if owner is not None:
            for place in (self.path, *self.path.rglob("*")):
                os.chown(place, owner, owner)
        if guest is not None:
            self._share_with(guest)

    def _share_with(self, guest: int) -> None:
        """Give the user `guest` access through the folder's group.

        No other user can enter, so the files inside may be open to everybody.
        """
        for place in self.path.rglob("*"):
            place.chmod(0o777 if place.is_dir() else 0o666)
        os.chown(self.path, -1, guest)
        self.path.chmod(0o770)

    def is_too_full(self) -> bool:
        """Return whether the folder holds more than is permitted.

        To save time, the folder is examined only now and then.
        """
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + SECONDS_BETWEEN_LOOKS
        return self.holds_too_much()

    def holds_too_much(self) -> bool:
        """Examine the folder now; return whether it holds more than is permitted."""
        size = 0
        for entries, (name, status) in enumerate(_walk(self.path), 1):
            size += status.st_size if stat.S_ISREG(status.st_mode) else 0
            if entries > MAX_ENTRIES or size > MAX_FOLDER_SIZE or len(name) > _MAX_PATH_LENGTH:
                return True
        return False

    def contents(self) -> tuple[NamedValue, ...]:
        """Return every file's name and value, sorted by name: the content of a text file as a str,
        for anything else its kind.
        """
        found: list[NamedValue] = []
        left = MAX_FOLDER_SIZE
        for name, status in _walk(self.path):
            if len(found) == MAX_ENTRIES:
                more = Value(ValueKind.TOO_LARGE, f"more than {MAX_ENTRIES} files")
                found.append(NamedValue(name=MORE_FILES, value=more))
                break
            value = _content(self.path / name, status, left)
            found.append(NamedValue(name=encodable(name), value=value))
            left -= status.st_size
        return tuple(sorted(found, key=lambda entry: entry.name))

    def remove(self) -> None:
        self.path.parent.chmod(_OPEN_TO_CHANGES)
        remove_tree(self.path)
        self.path.parent.chmod(_CLOSED)


def _walk(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield every entry in the folder and below it, up to the longest path that can be opened."""
    pending = [""]
    place = str(folder)
    while pending:
        below = pending.pop()
        with suppress(OSError), os.scandir(f"{place}/{below}") as entries:
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
        return folder_value()
    if stat.S_ISLNK(status.st_mode):
        return place_value("link", "a link")
    if not stat.S_ISREG(status.st_mode):
        return place_value("special file", "no regular file")
    if status.st_size > min(MAX_FILE_SIZE, left):
        return Value(ValueKind.TOO_LARGE, f"a file of {status.st_size} bytes")
    try:
        number = os.open(path, os.O_RDONLY | _NO_SURPRISE)
        with os.fdopen(number, "rb") as file:
            data = file.read(MAX_FILE_SIZE + 1)
    except OSError as error:
        return Value(ValueKind.UNREADABLE, type(error).__name__)
    return file_value(data)


try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows: nothing is swept there
    _HAS_LOCKS = False
else:
    _HAS_LOCKS = True

_PREFIX = "harness-scenario-"
_UNSWEPT_PREFIX = "harness-unlocked-"  # of a process without locks: nobody could tell it is in use
_in_use: set[Path] = set()  # by this process


@contextmanager
def scratch_directory() -> Iterator[Path]:
    """Make a new empty directory that is removed when the context is left.

    If a process was killed, the next process removes its directory. Each directory has a lock,
    which ends with its process and tells whether the directory is in use.
    """
    if _HAS_LOCKS:
        _sweep()
    prefix = _PREFIX if _HAS_LOCKS else _UNSWEPT_PREFIX
    path = Path(tempfile.gettempdir()) / f"{prefix}{secrets.token_hex(8)}"
    lock: int | None = None
    _in_use.add(path)
    try:
        try:  # the path is known before it is there: a signal may end this at any place
            lock = _make_locked(path)
            yield path
        finally:
            _remove(path)
    finally:  # again: the signal may have come while it was removed
        _remove(path)
        _in_use.discard(path)
        if lock is not None:
            os.close(lock)


def remove_scratch_directories() -> None:
    """Remove this process's directories before it ends. May be called from any thread."""
    for path in tuple(_in_use):
        _remove(path)


def _make_locked(path: Path) -> int | None:
    """Make and lock the directory.

    Return the lock's descriptor, or None if the system has no locks.
    """
    while True:
        path.mkdir(mode=0o700)
        if not _HAS_LOCKS:
            return None
        with suppress(FileNotFoundError):  # another process has swept it before it was locked
            lock = os.open(path, os.O_RDONLY)
            with suppress(OSError):  # a file system without locks: nobody sweeps there either
                flock(lock, LOCK_EX)
            if path.exists():
                return lock
            os.close(lock)


def _sweep() -> None:
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # somebody else's, in use, or gone meanwhile
            if path.lstat().st_uid != os.geteuid():
                continue
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                flock(lock, LOCK_EX | LOCK_NB)
                _remove(path)
            finally:
                os.close(lock)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.chmod(0o700)  # its user may have made it read-only
    remove_tree(path)


_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def remove_tree(path: Path) -> None:
    """Remove a folder and everything in it that this user may remove, at any depth.

    `shutil.rmtree` is not enough: it recurses, and a path cannot be longer than 4,096 bytes.
    """
    if os.rename not in os.supports_dir_fd:
        with suppress(RecursionError):
            shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        top = os.open(path, _FOLDER)
        try:
            _empty(top)
        finally:
            os.close(top)
        path.rmdir()


def _empty(top: int) -> None:
    """Remove everything in a folder. Deeper folders are first moved up."""
    stays: set[str] = set()
    while names := [name for name in os.listdir(top) if name not in stays]:
        for name in names:
            try:
                if (folder := _open_folder(name, top)) is None:
                    os.unlink(name, dir_fd=top)
                    continue
                try:
                    _flatten(folder, top)
                finally:
                    os.close(folder)
                os.rmdir(name, dir_fd=top)
            except OSError:
                stays.add(name)


def _flatten(folder: int, top: int) -> None:
    for name in os.listdir(folder):
        if (inner := _open_folder(name, folder)) is None:
            os.unlink(name, dir_fd=folder)
        else:
            os.close(inner)
            os.rename(name, os.urandom(16).hex(), src_dir_fd=folder, dst_dir_fd=top)


def _open_folder(name: str, above: int) -> int | None:
    """Make a folder writable and return its descriptor; None if it is not a folder."""
    if not stat.S_ISDIR(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode):
        return None
    try:
        number = os.open(name, _FOLDER, dir_fd=above)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=above)
        return os.open(name, _FOLDER, dir_fd=above)
    os.fchmod(number, 0o700)
    return number
