"""Directories of our own among the system's temporary ones, which do not outlive us for long."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows: nothing is swept there
    _HAS_LOCKS = False
else:
    _HAS_LOCKS = True

_PREFIX = "harness-scenario-"


class ScratchDirectory:
    """A new empty directory, `path`, until the context is left.

    A process that is killed leaves its directory; the next that makes one removes it. A lock,
    which ends with whoever holds it, tells which are in use.
    """

    def __init__(self) -> None:
        self._lock: int | None = None
        _sweep()
        self.path = self._own()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _own(self) -> Path:
        while True:
            path = Path(tempfile.mkdtemp(prefix=_PREFIX))
            if not _HAS_LOCKS:
                return path
            with suppress(FileNotFoundError):  # another process has swept it before it was locked
                self._lock = os.open(path, os.O_RDONLY)
                flock(self._lock, LOCK_EX)
                if path.exists():
                    return path
                os.close(self._lock)


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
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(lock)
