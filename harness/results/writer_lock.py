"""One writer a database, for as long as a whole run takes."""

from __future__ import annotations

import os
from pathlib import Path

from harness.model.errors import UserError

try:
    import fcntl
except ImportError:  # Windows: SQLite's own lock, held a transaction long, must do
    fcntl = None  # type: ignore[assignment]


class WriterLock:
    """An advisory lock on a file beside the database; the kernel drops it with its process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    @classmethod
    def take(cls, database: Path) -> WriterLock:
        """Take the lock at once; UserError if another run holds it, OSError if none can be made."""
        path = database.with_name(database.name + ".lock")
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise UserError(
                "another run is writing these results",
                place=str(database),
                hint="wait for it or choose another folder with --out",
            ) from None
        except BaseException:
            os.close(descriptor)
            raise
        return cls(descriptor)

    def release(self) -> None:
        """Give the lock back; again does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
