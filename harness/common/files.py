"""The files of a report: safe names, and whole files or none."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
_HASHED = re.compile(r"-[0-9a-f]{10}$")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")


def page_name(submission_id: str) -> str:
    """A file name for a submission's page: the id where that is safe and plain in every file
    system, otherwise what is plain of it and a digest. Different ids have different names, also
    where upper and lower case are the same."""
    plain = _PLAIN.fullmatch(submission_id) and not submission_id.endswith(".")
    if plain and not _HASHED.search(submission_id) and not _DEVICES.fullmatch(submission_id):
        return submission_id + ".html"
    digest = hashlib.sha256(submission_id.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    rest = re.sub(r"[^A-Za-z0-9]+", "-", submission_id).strip("-")[:40].strip("-")
    return f"{rest or 'submission'}-{digest}.html"


def write(path: Path, text: str) -> None:
    """Put the text at `path`, whole: a reader finds the old file or the new one, never a part.

    Raises OSError where the folder cannot be written or the disk is full; the old file stays.
    """
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: Path, data: bytes) -> None:
    """As `write`, for bytes."""
    with growing(path) as file:
        file.write(data)


@contextmanager
def growing(path: Path) -> Iterator[BinaryIO]:
    """A file to be written piece by piece, put at `path` when all of it is there.

    Raises OSError as `write` does; after any failure the old file stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
