"""The pages that the harness wrote into a report folder, and what they were made from."""

from __future__ import annotations

import os
import re
from hashlib import sha256
from pathlib import Path, PurePosixPath

from harness.common.files import write, write_bytes

MANIFEST = "pages.txt"
_TEMPORARY = re.compile(r"\..+\.([0-9]{1,9})\.tmp")
_PAGE = re.compile(r"(?:submissions|feedback|marks)/[A-Za-z0-9][A-Za-z0-9._-]*\.html")


class Manifest:
    """The pages of a folder. A page is noted before it is written, so that a later run may remove
    it, and again with its digests afterwards, so that a later run need not write it again.

    Raises OSError where the folder cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / MANIFEST
        self._pages = _remembered(self._path)

    def is_current(self, page: str, made_from: str) -> bool:
        """Whether the file is as it was written, and was made from this digest."""
        known = self._pages.get(page)
        if known is None or known[0] != made_from:
            return False
        try:
            data = (self._folder / page).read_bytes()
        except OSError:
            return False
        return sha256(data).hexdigest() == known[1]

    def write(self, page: str, text: str, made_from: str = "") -> None:
        """Write a page atomically."""
        data = text.encode("utf-8", "backslashreplace")
        self._note(page, ("", ""))
        write_bytes(self._folder / page, data)
        if made_from:
            self._note(page, (made_from, sha256(data).hexdigest()))

    def keep_only(self, keep: set[str]) -> None:
        """Remove the pages that are not among `keep`, and what a run that was killed did not come
        to rename."""
        for place in {self._folder, *((self._folder / page).parent for page in keep)}:
            for path in place.glob(".*.tmp"):
                if _is_abandoned(path.name):
                    path.unlink(missing_ok=True)
        for page in sorted(self._pages.keys() - keep):
            (self._folder / PurePosixPath(page)).unlink(missing_ok=True)
        self._pages = {page: self._pages.get(page, ("", "")) for page in sorted(keep)}
        write(self._path, "".join(map(_line, self._pages.items())))

    def _note(self, page: str, digests: tuple[str, str]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._pages[page] = digests
        with self._path.open("a", encoding="ascii") as manifest:
            manifest.write(_line((page, digests)))


def _line(entry: tuple[str, tuple[str, str]]) -> str:
    page, digests = entry
    return " ".join([page, *filter(None, digests)]) + "\n"


def _remembered(path: Path) -> dict[str, tuple[str, str]]:
    try:
        lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    except FileNotFoundError:
        return {}
    found: dict[str, tuple[str, str]] = {}
    for line in lines:
        page, made_from, written, *_ = (*line.split(" "), "", "", "")
        if _PAGE.fullmatch(page):
            found[page] = (made_from, written)
    return found


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
