"""SQLite's errors as one line that a user can act on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.model.errors import UserError

_CAUSES = (
    ("database or disk is full", "the disk is full", "make room and run the same command again"),
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
