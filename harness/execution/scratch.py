"""Temporary directories of the harness, removed at the end or by a later run."""

from __future__ import annotations

import os
import shutil
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
    shutil.rmtree(path, ignore_errors=True)
