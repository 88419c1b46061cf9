"""Temporary directories of the harness, removed at the end or by a later run."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows: nothing is swept there
    _HAS_LOCKS = False
else:
    _HAS_LOCKS = True

_PREFIX = "harness-scenario-"
_UNSWEPT_PREFIX = "harness-unlocked-"  # of a process without locks: nobody could tell it is in use


@contextmanager
def scratch_directory() -> Iterator[Path]:
    """A new empty directory, until the context is left.

    A process that is killed leaves its directory; the next that makes one removes it. A lock,
    which ends with whoever holds it, tells which are in use.
    """
    _sweep()
    path, lock = _own()
    try:
        yield path
    finally:
        _remove(path)
        if lock is not None:
            os.close(lock)


def _own() -> tuple[Path, int | None]:
    while True:
        if not _HAS_LOCKS:
            return Path(tempfile.mkdtemp(prefix=_UNSWEPT_PREFIX)), None
        path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        with suppress(FileNotFoundError):  # another process has swept it before it was locked
            lock = os.open(path, os.O_RDONLY)
            with suppress(OSError):  # a file system without locks: nobody sweeps there either
                flock(lock, LOCK_EX)
            if path.exists():
                return path, lock
            os.close(lock)


def _sweep() -> None:
    if not _HAS_LOCKS:
        return
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
    """Remove a folder and all that lies in it, as far as this user may, however deep a submission
    nested it: `shutil.rmtree` recurses, and no path is longer than 4,096 bytes."""
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
    """Remove what lies in a folder. What lies deeper is moved up first."""
    stays: set[str] = set()
    while names := [name for name in os.listdir(top) if name not in stays]:
        for name in names:
            try:
                folder = _open_folder(name, top)
                if folder is None:
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
        inner = _open_folder(name, folder)
        if inner is None:
            os.unlink(name, dir_fd=folder)
        else:
            os.close(inner)
            os.rename(name, os.urandom(16).hex(), src_dir_fd=folder, dst_dir_fd=top)


def _open_folder(name: str, above: int) -> int | None:
    """A folder's descriptor, once it may be changed; None for anything else."""
    if not stat.S_ISDIR(os.stat(name, dir_fd=above, follow_symlinks=False).st_mode):
        return None
    try:
        number = os.open(name, _FOLDER, dir_fd=above)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=above)
        return os.open(name, _FOLDER, dir_fd=above)
    os.fchmod(number, 0o700)
    return number
