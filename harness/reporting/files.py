"""The report folder: safe names, whole files or none, and no pages of submissions that are gone."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

MANIFEST = "pages.txt"
_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
_HASHED = re.compile(r"-[0-9a-f]{10}$")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")
_TEMPORARY = re.compile(r"\..+\.([0-9]{1,9})\.tmp")
_PAGE = re.compile(r"(?:submissions|feedback)/[A-Za-z0-9][A-Za-z0-9._-]*\.html")


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
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def remember(folder: Path, pages: Iterable[str]) -> None:
    """Note pages as ours before they are written, so that a later run may remove them."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / MANIFEST).open("a", encoding="ascii") as manifest:
        manifest.writelines(page + "\n" for page in pages)


def remove_stale(folder: Path, keep: set[str]) -> None:
    """Remove the pages that we once wrote and that are not among `keep`, and what a run that was
    killed did not come to rename."""
    for place in {folder, *((folder / page).parent for page in keep)}:
        for path in place.glob(".*.tmp"):
            if _is_abandoned(path.name):
                path.unlink(missing_ok=True)
    for page in sorted(_remembered(folder) - keep):
        (folder / PurePosixPath(page)).unlink(missing_ok=True)
    write(folder / MANIFEST, "".join(f"{page}\n" for page in sorted(keep)))


def _is_abandoned(name: str) -> bool:
    """Whether a temporary file of `write` belongs to no living process."""
    owner = _TEMPORARY.fullmatch(name)
    if owner is None:
        return False
    try:
        os.kill(int(owner[1]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _remembered(folder: Path) -> set[str]:
    try:
        lines = (folder / MANIFEST).read_text(encoding="ascii", errors="replace").splitlines()
    except FileNotFoundError:
        return set()
    return {line for line in lines if _PAGE.fullmatch(line)}
