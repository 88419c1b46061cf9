"""Describes uploaded files, folders and links, on the disk or in an archive.

Names say little, so the first bytes tell a file's real kind. Also makes names printable in ids and
sentences. Links are not followed, and no more is read than was asked for.
"""

from __future__ import annotations

import difflib
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path

from harness.common import words
from harness.common.errors import UserError
from harness.common.escaping import shorten
from harness.intake.junk import is_environment, junk_among
from harness.model.submission import WrongFiles

MAX_ID = 100
_NAMES_SHOWN = 5
BACKSLASH = "\\"
HEAD_BYTES = 64 * 1024
MAX_FILE_BYTES = 1024 * 1024
MAX_ENTRIES = 1000
MAX_CLASS_ENTRIES = 100_000


def safe_id(name: str) -> str:
    """Return the name without unprintable characters (controls, bidi marks, undecodable bytes),
    shortened.
    """
    printable = _with_printable(name, "_")
    shown = re.sub(r'[/\\:*?"<>|]', "_", printable)
    return re.sub(r"\A\.", "_", shown.strip(" ")[:MAX_ID]) or "submission"


def _with_printable(name: str, instead: str) -> str:
    """Return the name with this character instead of each that cannot be printed."""
    return "".join(letter if letter.isprintable() else instead for letter in name)


def unique_ids(names: Iterable[str]) -> tuple[str, ...]:
    """Return a safe id for each name, in their order; the second of the same gets `-2`, and so on.

    Names that differ only in how letters are composed are the same here.
    """
    safe = [safe_id(name) for name in names]
    taken = set(map(composed, safe))
    given: set[str] = set()
    ids: list[str] = []
    for name in safe:
        chosen, count = name, 1
        while composed(chosen) in given or (count > 1 and composed(chosen) in taken):
            count += 1
            chosen = f"{name}-{count}"
        given.add(composed(chosen))
        ids.append(chosen)
    return tuple(ids)


def clean_name(name: str) -> str:
    """Return a printable name or email: letters in Unicode's composed form, single spaces."""
    shown = _with_printable(composed(name), " ")
    return " ".join(shown.split())[:MAX_ID]


def without_case(name: str) -> str:
    """Return the name without case and with composed letters, because some systems treat names
    that differ only in these as the same."""
    return composed(composed(name).casefold())


def composed(name: str) -> str:
    """Return the name with its letters composed in one way (NFC)."""
    return unicodedata.normalize("NFC", name)


def shown_path(path: str) -> str:
    """Return a path inside an archive as it can be printed: no controls, no bidi marks,
    shortened.
    """
    return shorten(_with_printable(path, "_"), MAX_ID)


def listed(names: Sequence[str]) -> str:
    """Return `a, b and c`; if there are many, the first few."""
    shown = list(names[:_NAMES_SHOWN])
    if len(names) > _NAMES_SHOWN:
        shown.append(f"{len(names) - _NAMES_SHOWN} more")
    return words.listed(shown)


ARCHIVE_SUFFIXES = (
    *(".tar.gz", ".tar.bz2", ".tar.xz", ".tar", ".tgz", ".tbz2", ".txz"),
    *(".zip", ".zipx", ".rar", ".7z", ".gz", ".bz2", ".xz"),
)
# a1 (1).py and a1(1).py (browsers), a1-2.py (platforms), a1 copy.py and a1 copy 2.py (macOS),
# a1 - Copy.py and a1 - Copy (2).py (Windows); the last two in German as well.
_MARK = re.compile(
    r"(?: ?\([0-9]{1,3}\)|-[0-9]{1,3}| (?:copy|Kopie)(?: [0-9]{1,3})?"
    r"| - (?:Copy|Kopie)(?: \([0-9]{1,3}\))?)\Z"
)
# Copy of a1.py and Kopie von a1.py (Windows, Google Drive).
_COPY_OF = re.compile(r"(?:Copy of|Kopie von) ")
# a1_1.py and a1.txt may be other files than copies of a1.py.
_LOOSE_MARK = re.compile(r"_[0-9]{1,3}\Z")
# Endings that an editor or a browser adds to a program's name; Windows does not show them.
_ADDED_ENDING = ".txt"
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
    OLD_OFFICE = "an old Office document"
    OPEN_DOCUMENT = "an OpenDocument file"
    RICH_TEXT = "a rich text document"
    PDF = "a PDF document"
    NOTEBOOK = "a Jupyter notebook"
    WEB_PAGE = "a web page"
    PICTURE = "a picture"
    PROGRAM = "a compiled program"


ARCHIVES = frozenset(kind for kind in FileKind if kind.endswith(" archive"))
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


def kind_of_bytes(data: bytes) -> FileKind | None:
    """Return the kind of a file that begins with these bytes (the whole file, or its first
    `HEAD_BYTES`); None for text and for anything else."""
    for beginning, kind in _BEGINNINGS.items():
        if data.startswith(beginning):
            return kind
    if data.startswith(b"PK\x03\x04"):
        first_member = data[30:200]
        if first_member.startswith(_OFFICE):
            return FileKind.OFFICE
        if first_member.startswith(b"mimetypeapplication/vnd.oasis"):
            return FileKind.OPEN_DOCUMENT
        return FileKind.ZIP
    if data.startswith(b"BZh") and data[4:10] == b"1AY&SY":
        return FileKind.BZIP2
    if data[257:262] == b"ustar":
        return FileKind.TAR
    if data.startswith(b"MZ") and b"\0" in data[:64]:
        return FileKind.PROGRAM
    text = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{") and b'"cells"' in text and b'"cell_type"' in text:
        return FileKind.NOTEBOOK
    if text[:20].lower().startswith((b"<!doctype html", b"<html")):
        return FileKind.WEB_PAGE
    return None


def archive_suffix(name: str) -> str:
    """Return the ending of an archive's name as it is written there; "" if it has none."""
    lower = name.lower()
    for suffix in ARCHIVE_SUFFIXES:
        if lower.endswith(suffix):
            return name[-len(suffix) :]
    return ""


def is_program(name: str) -> bool:
    """Return whether a file of this name is a Python program, however it is written."""
    return name.lower().endswith((".py", f".py{_ADDED_ENDING}"))


def without_program_ending(name: str) -> str:
    """Return the name of a program without `.py`; the same for any other."""
    if not is_program(name):
        return name
    return name[: name.lower().rindex(".py")]


def original_name(name: str, expected: Collection[str]) -> str | None:
    """Return the expected name that `name` is a variant of: a copy of it, the same name in another
    case, or with `.txt` or another `.py` after `.py`.

    Return None if `name` is itself expected, or is a variant of no expected name.
    """
    return _only_original(name, expected, _meant_by)


def intended_name(name: str, expected: Collection[str]) -> str | None:
    """Return `original_name`, or the expected name that is meant if the expected file itself is
    missing.

    For example, `a1_1.py` and `a1.txt` may be other files beside `a1.py`, but are meant as `a1.py`
    without it.
    """
    original = original_name(name, expected)
    if original is not None:
        return original
    return _only_original(name, expected, _perhaps_meant_by)


def _only_original(
    name: str, expected: Collection[str], meant_by: Callable[[str], Iterator[str]]
) -> str | None:
    if name in expected:
        return None
    by_spelling: dict[str, list[str]] = {}
    for original in expected:
        by_spelling.setdefault(without_case(original), []).append(original)
    for meant in meant_by(name):
        originals = by_spelling.get(without_case(meant), ())
        if len(originals) == 1:
            return originals[0]
    return None


def _meant_by(name: str) -> Iterator[str]:
    """Yield the name, then without what systems add to it, the last addition first."""
    yield name
    if is_program(name) and name.lower().endswith(_ADDED_ENDING):
        name = name[: -len(_ADDED_ENDING)]
        yield name
    while is_program(name) and is_program(name[: -len(".py")]):
        name = name[: -len(".py")]
        yield name
    while (copy_of := _COPY_OF.match(name)) is not None:
        name = name[copy_of.end() :]
        yield name
    match = _ENDING.search(name)
    if match is None:
        return
    stem, ending = name[: match.start()], match.group()
    while (copy_mark := _MARK.search(stem)) is not None:  # a copy may be copied again
        stem = stem[: copy_mark.start()]
        yield stem + ending


def _perhaps_meant_by(name: str) -> Iterator[str]:
    """Yield the names that may be meant by a number behind `_`, and by `.txt` instead of `.py`."""
    names = [name, *_meant_by(name)]
    if name.lower().endswith(_ADDED_ENDING):
        names += _meant_by(f"{name[: -len(_ADDED_ENDING)]}.py")
    for meant in names:
        yield meant
        stem = without_program_ending(meant)
        number = _LOOSE_MARK.search(stem)
        if number is not None:
            yield stem[: number.start()] + meant[len(stem) :]


def without_copy_mark(name: str) -> str:
    """Return the name without one mark of a copy, as ` (1)`; the same name if it has none."""
    match = _ENDING.search(name)
    if match is None:
        return name
    copy_mark = _MARK.search(name[: match.start()])
    if copy_mark is None:
        return name
    return name[: copy_mark.start()] + match.group()


class EntryKind(StrEnum):
    """The kind of an entry; links are not followed."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "symbolic link"
    OTHER = "special file"
    NOWHERE = "path without a target"  # of an archive's entry: it is in none of its folders


def kind_of_mode(mode: int) -> EntryKind:
    """Return the kind of an entry by its mode, as the system or an archive stores it."""
    if stat.S_ISLNK(mode):
        return EntryKind.LINK
    if stat.S_ISDIR(mode):
        return EntryKind.FOLDER
    if stat.S_ISREG(mode):
        return EntryKind.FILE
    return EntryKind.OTHER


class RefusedUpload(Exception):  # noqa: N818  (an answer about one submission, not an error of ours)
    """A file or folder of one submission cannot be read; `str()` is the reason for its `problem`.
    `ours`: that says nothing about the student (our disk, our copy of the download). `wrong_files`:
    other files were handed in than the ones asked for."""

    def __init__(
        self, reason: str, *, ours: bool = False, wrong_files: WrongFiles | None = None
    ) -> None:
        super().__init__(reason)
        self.ours = ours
        self.wrong_files = wrong_files


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An uploaded file, folder or link, on the disk or in an archive.

    `start(n)` returns the first n bytes of a FILE, or all if there are fewer; it raises Refused if
    they cannot be read. `everything(most)` returns the direct content of a FOLDER, by name; it
    raises OSError, or Refused for more than `most`.
    """

    name: str
    kind: EntryKind
    where: str = ""  # of a folder: its path, after that of an archive, for messages
    folder: str = ""  # its folder in the archive or in the submission: "", "A3" or "A3/src"
    is_packed: bool = False
    size: int = 0  # of a FILE, as an archive says it
    fault: str = ""  # "an absolute path (/x)": why it, or something in it, cannot be accepted
    start: Callable[[int], bytes] = lambda size: b""
    everything: Callable[[int], tuple[Entry, ...]] = lambda most: ()

    @property
    def is_python(self) -> bool:
        return is_program(self.name)

    @property
    def is_folder(self) -> bool:
        """Return whether the entry is a folder; a link instead of a file is refused when it is
        read."""
        return self.kind is EntryKind.FOLDER

    @property
    def label(self) -> str:
        """Return the name after that of its folder, as it can be printed."""
        if self.folder:
            return shown_path(f"{self.folder}/{self.name}")
        return safe_id(self.name)

    def load(self, limit: int = MAX_FILE_BYTES) -> bytes:
        """Return all bytes of a FILE.

        Raise Refused if there are more than `limit`, or it cannot be read.
        """
        data = self.start(limit + 1)
        if len(data) > limit:
            raise RefusedUpload(f"is larger than {limit // 1024} KiB")
        return data

    def entries(self, most: int = MAX_ENTRIES) -> tuple[Entry, ...]:
        """Return the direct content, without files that are ignored in a student's folder."""
        return without_junk(self.everything(most))[0]


def without_junk(entries: Sequence[Entry]) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """Return the entries in one student's folder that count, and the other ones."""
    junk_names = set(junk_among(entry.name for entry in entries))
    for entry in entries:
        if is_environment_folder(entry):
            junk_names.add(entry.name)
    counts: list[Entry] = []
    junk: list[Entry] = []
    for entry in entries:
        if entry.name in junk_names:
            junk.append(entry)
        else:
            counts.append(entry)
    return tuple(counts), tuple(junk)


def is_environment_folder(entry: Entry) -> bool:
    """Return whether the entry is a folder that contains only a virtual environment."""
    if not entry.is_folder:
        return False
    try:
        return is_environment(inside.name for inside in entry.everything(MAX_CLASS_ENTRIES))
    except (OSError, RefusedUpload):
        return False


def same_bytes(entries: Sequence[Entry]) -> bool:
    """Return whether these files have the same bytes; False if one of them cannot be read."""
    try:
        first, *others = (entry.load for entry in entries)
        data = first()
        return all(load() == data for load in others)  # two at a time are in memory
    except RefusedUpload:
        return False


def file_at(path: Path) -> Entry:
    """Return a file that the user names, which may be a link."""
    actual = path.resolve()
    start = partial(_first_bytes, actual, ours=False)
    kind = kind_of_mode(actual.lstat().st_mode)
    return Entry(name=path.name, kind=kind, where=str(path), start=start)


def folder_at(path: Path, name: str = "") -> Entry:
    """Return a folder on the disk.

    If we may not read a file in it, that is not the student's fault.
    """
    name = name or path.resolve().name
    inside = partial(_inside, path)
    return Entry(name=name, kind=EntryKind.FOLDER, where=str(path), everything=inside)


def _inside(folder: Path, most: int) -> tuple[Entry, ...]:
    with os.scandir(folder) as scan:
        names = [item.name for item in islice(scan, most + 1)]
    if len(names) > most:
        raise RefusedUpload(f"more than {most} files")
    return tuple(_entry(folder / name) for name in sorted(names))


def _entry(path: Path) -> Entry:
    kind = kind_of_mode(path.lstat().st_mode)
    if kind is EntryKind.FOLDER:
        return folder_at(path, path.name)
    return Entry(name=path.name, kind=kind, start=partial(_first_bytes, path, ours=True))


def _first_bytes(path: Path, size: int, *, ours: bool) -> bytes:
    # O_NONBLOCK: a pipe that took the file's place since it was listed must not hold us up.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise RefusedUpload("is not a regular file", ours=ours)
            # This takes all the memory asked for, even for a small file.
            return file.read(min(size, status.st_size + 1))
    except OSError as error:
        raise RefusedUpload(f"cannot be read ({error.strerror or error})", ours=ours) from None


GO_THERE = "write the file's whole path, or go to its folder first (cd)"
_ALIKE = 0.5  # a1 and a1.py are


def must_exist(path: Path) -> None:
    """Raise UserError if the file or folder does not exist.

    The hint names an existing one with a similar name: a letter may be wrong, or the system may
    hide the name's ending.
    """
    if path.exists():
        return
    names: list[str] = []
    if path.parent.is_dir():
        names = sorted(inside.name for inside in path.parent.iterdir())
    alike = difflib.get_close_matches(path.name, names, 1, _ALIKE)
    hint = f"is it {alike[0]}?" if alike else GO_THERE
    raise UserError("no such file or folder", place=str(path), hint=hint)


def described(entries: Sequence[Entry]) -> str:
    """Return the names listed; for an archive also its real kind."""
    first, rest = entries[:_NAMES_SHOWN], entries[_NAMES_SHOWN:]  # only shown ones are read
    return listed([*map(_described, first), *(entry.label for entry in rest)])


def _described(entry: Entry) -> str:
    if entry.is_python or entry.kind is not EntryKind.FILE:
        return entry.label
    try:
        kind = kind_of_bytes(entry.start(HEAD_BYTES))
    except RefusedUpload:
        return entry.label
    if kind in ARCHIVES:
        return f"{entry.label} ({kind})"
    return entry.label
