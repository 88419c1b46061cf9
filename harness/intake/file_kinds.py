"""What a file really is, from its first bytes: names say little. And the names that a
browser, a platform or a file manager gives the second copy of a file."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum

HEAD_BYTES = 64 * 1024

ARCHIVE_SUFFIXES = (
    *(".tar.gz", ".tar.bz2", ".tar.xz", ".tar", ".tgz", ".tbz2", ".txz"),
    *(".zip", ".zipx", ".rar", ".7z", ".gz", ".bz2", ".xz"),
)
# a1 (1).py and a1(1).py (browsers), a1-2.py (platforms), a1 copy.py and a1 copy 2.py (macOS),
# a1 - Copy.py and a1 - Copy (2).py (Windows).
_MARK = re.compile(
    r"(?: ?\([0-9]{1,3}\)|-[0-9]{1,3}| copy(?: [0-9]{1,3})?| - Copy(?: \([0-9]{1,3}\))?)\Z"
)
_ENDING = re.compile(r"(?:\.tar)?\.[^.]+\Z")


class FileKind(StrEnum):
    """Kinds that are handed in by mistake, in words for a sentence."""

    ZIP = "a zip archive"
    TAR = "a tar archive"
    GZIP = "a gzip archive"
    BZIP2 = "a bzip2 archive"
    XZ = "an xz archive"
    RAR = "a RAR archive"
    SEVEN_ZIP = "a 7-Zip archive"
    OFFICE = "an Office document"
    OLD_OFFICE = "an Office document of the old kind"
    OPEN_DOCUMENT = "an OpenDocument file"
    RICH_TEXT = "a rich text document"
    PDF = "a PDF document"
    NOTEBOOK = "a Jupyter notebook"
    WEB_PAGE = "a web page"
    PICTURE = "a picture"
    PROGRAM = "a compiled program"


ARCHIVES = frozenset(
    {
        *(FileKind.ZIP, FileKind.TAR, FileKind.GZIP, FileKind.BZIP2),
        *(FileKind.XZ, FileKind.RAR, FileKind.SEVEN_ZIP),
    }
)

# Nothing here can begin a Python program.
_BEGINNINGS = {
    b"PK\x05\x06": FileKind.ZIP,
    b"PK\x07\x08": FileKind.ZIP,
    b"\x1f\x8b": FileKind.GZIP,
    b"\xfd7zXZ\x00": FileKind.XZ,
    b"Rar!\x1a\x07": FileKind.RAR,
    b"7z\xbc\xaf\x27\x1c": FileKind.SEVEN_ZIP,
    b"%PDF-": FileKind.PDF,
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": FileKind.OLD_OFFICE,
    b"{\\rtf": FileKind.RICH_TEXT,
    b"\x89PNG\r\n": FileKind.PICTURE,
    b"\xff\xd8\xff": FileKind.PICTURE,
    b"\x7fELF": FileKind.PROGRAM,
}
# The member that office programs write first, for their readers to be recognised by.
_OFFICE = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"word/", b"xl/", b"ppt/")


def recognise(data: bytes) -> FileKind | None:
    """The kind that these bytes (a whole file, or its first `HEAD_BYTES`) begin; None for text,
    and for anything else."""
    for beginning, kind in _BEGINNINGS.items():
        if data.startswith(beginning):
            return kind
    if data.startswith(b"PK\x03\x04"):
        return _zip(data[30:200])
    if data.startswith(b"BZh") and data[4:10] == b"1AY&SY":
        return FileKind.BZIP2
    if data[257:262] == b"ustar":
        return FileKind.TAR
    if data.startswith(b"MZ") and b"\0" in data[:64]:
        return FileKind.PROGRAM
    return _text(data.removeprefix(b"\xef\xbb\xbf").lstrip())


def archive_suffix(name: str) -> str:
    """The ending of an archive's name as it is written there; "" if it has none."""
    lower = name.lower()
    return next((name[-len(s) :] for s in ARCHIVE_SUFFIXES if lower.endswith(s)), "")


def _zip(first_member: bytes) -> FileKind:
    if first_member.startswith(_OFFICE):
        return FileKind.OFFICE
    if first_member.startswith(b"mimetypeapplication/vnd.oasis"):
        return FileKind.OPEN_DOCUMENT
    return FileKind.ZIP


def _text(data: bytes) -> FileKind | None:
    if data.startswith(b"{") and b'"cells"' in data and b'"cell_type"' in data:
        return FileKind.NOTEBOOK
    if data[:20].lower().startswith((b"<!doctype html", b"<html")):
        return FileKind.WEB_PAGE
    return None


def original_name(name: str, expected: Collection[str]) -> str | None:
    """The one of `expected` that `name` is a copy of; None for these names themselves, and for
    any other."""
    match = _ENDING.search(name)
    if name in expected or match is None:
        return None
    stem, ending = name[: match.start()], match.group()
    while (copy_mark := _MARK.search(stem)) is not None:  # a copy may be copied again
        stem = stem[: copy_mark.start()]
        if stem + ending in expected:
            return stem + ending
    return None
