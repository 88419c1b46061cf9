"""A run's database: where it is, its tables, SQLite's errors as one line that a user can act on,
and the lock that keeps a second writer out."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.common.errors import UserError

STORE_NAME = "run.sqlite"
SCHEMA_VERSION = 3

# `text` has each observation's and verdict's text once, compressed: right submissions do the same,
# and a transcript repeats its board dozens of times. `path` has what the run was asked to grade,
# `earlier` the last good result of a submission that is to be graded again, `by_hand` what people
# gave, which no grading touches.
TABLES = (
    """
    CREATE TABLE run (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        facts TEXT NOT NULL,
        plan BLOB NOT NULL
    )
    """,
    """
    CREATE TABLE submission (
        id TEXT PRIMARY KEY,
        result BLOB NOT NULL,
        source_digest TEXT NOT NULL,
        state_digest TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE earlier (
        id TEXT PRIMARY KEY,
        result BLOB NOT NULL,
        source_digest TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE TABLE by_hand (id TEXT PRIMARY KEY, given TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE text (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, data BLOB NOT NULL)",
    "CREATE TABLE observation (key BLOB PRIMARY KEY, text INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE verdict (key BLOB PRIMARY KEY, text INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE path (path TEXT PRIMARY KEY) WITHOUT ROWID",
)

# What a run finds, and so may be forgotten; `by_hand` is not among it.
FOUND = ("run", "submission", "observation", "verdict", "text", "earlier", "path")


def store_of(run: Path) -> Path:
    """The database of a run that is named by its report folder, or by the database itself;
    UserError when there is none."""
    path = run / STORE_NAME if run.is_dir() else run
    if not path.is_file():
        raise UserError("there is no run here", place=str(run), hint="name a report folder")
    return path


_CAUSES = (
    (
        "database or disk is full",
        "the disk is full",
        "free disk space, then run the same command",
    ),
    ("disk i/o error", "the disk did not take what was written", "see whether it is full"),
    (
        "readonly database",
        "the results may not be written here",
        "choose another folder with --out",
    ),
    (
        "unable to open",
        "the results cannot be opened here",
        "see whether the folder exists and may be written",
    ),
    ("locked", "another run is writing these results", "wait for it or choose another --out"),
    ("not a database", "this is no results file", "use --fresh to begin anew"),
    ("malformed", "the results file is damaged", "use --fresh to begin anew"),
    ("no such", "this is no results file of the harness", "use --fresh to begin anew"),
)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise UserError for what SQLite or the file system refuses."""
    try:
        yield
    except sqlite3.Error as error:
        raise _as_user_error(path, str(error)) from None
    except OSError as error:
        what = f"the results cannot be written ({error.strerror or error})"
        raise UserError(what, place=str(path), hint="choose another folder with --out") from None


def _as_user_error(path: Path, text: str) -> UserError:
    for part, what, hint in _CAUSES:
        if part in text.lower():
            return UserError(what, place=str(path), hint=hint)
    return UserError(f"the results cannot be used ({text})", place=str(path))


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
