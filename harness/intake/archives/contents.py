"""Archives (zip, and tar compressed with gzip or not) as entries under caps: names and bytes, never
a path on our disk.

A student's archive is refused if it has names that lead out of a folder or that exclude each other.
In a class's archive such names cost only their own submission; names outside all submissions are
listed separately.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePath
from typing import BinaryIO

from harness.common.errors import UserError
from harness.intake.archives.gzips import GzipTape
from harness.intake.archives.members import collected
from harness.intake.archives.tars import FileTape, tar_members
from harness.intake.archives.zips import zip_members
from harness.intake.caps import CLASS_CAPS, SUBMISSION_CAPS, Caps, GroupBudgets, ReadBudget, Spend
from harness.intake.entries import (
    BACKSLASH,
    HEAD_BYTES,
    Entry,
    EntryKind,
    FileKind,
    RefusedUpload,
    kind_of_bytes,
    shown_path,
    without_case,
)
from harness.intake.junk import is_environment, junk_among

_DRIVE = re.compile(r"[A-Za-z]:")


def kind_named(name: str) -> FileKind:
    """Return the kind of archive for a file name that ends with one of `ARCHIVE_ENDINGS`, such as
    `.zip`.
    """
    return {".zip": FileKind.ZIP, ".tar": FileKind.TAR}.get(PurePath(name).suffix, FileKind.GZIP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """The files, links and special files of a student's archive, by path.

    Those that cannot be accepted are left out, and `faults` says why, each in a phrase that follows
    the archive's name ("holds an absolute path (/x)").
    """

    entries: tuple[Entry, ...]
    left_out: tuple[str, ...] = ()  # the paths of files that do not count
    has_backslashes: bool = False  # in names, which were read as folders
    faults: tuple[str, ...] = ()


def read_archive(stream: BinaryIO, kind: FileKind, caps: Caps = SUBMISSION_CAPS) -> Archive:
    """Return the content of a seekable stream that should be an archive of this kind.

    Keep the stream open: bytes are read when they are asked for. Raise Refused with a phrase that
    follows the archive's name ("is a RAR archive, …").
    """
    budget = ReadBudget(caps)
    members = _members(stream, kind, budget.spend, caps.unpacked_bytes)
    found = collected(members, caps, is_class=False)
    placed = [_placed(member, caps, backslashes=True) for member in found.entries]
    tree = _tree(placed, caps)
    faults = [f"holds {fault}" for fault in tree.faults]
    if found.broken:
        faults.append(found.broken)
    entries = [entry for _, entry in sorted(tree.files.items()) if not entry.fault]
    if faults and not entries:
        raise RefusedUpload(faults[0])
    return Archive(
        entries=tuple(entries),
        left_out=tuple(sorted(tree.junk)),
        has_backslashes=any(BACKSLASH in member.name for member in found.entries),
        faults=tuple(faults),
    )


@contextmanager
def unpacked(path: Path, caps: Caps = CLASS_CAPS) -> Iterator[Entry]:
    """Return a class's archive as a folder, to be read while the context lasts.

    Raise UserError if it is not a readable archive, or holds more than the limits allow.
    """
    with ExitStack() as stack:
        try:
            stream: BinaryIO = stack.enter_context(path.open("rb"))
            kind = kind_of_bytes(stream.read(HEAD_BYTES))
            if kind not in (FileKind.ZIP, FileKind.TAR, FileKind.GZIP):
                raise RefusedUpload(f"is {kind or 'not an archive'}, expected a zip or tar archive")
            budgets = GroupBudgets(caps)
            members = _members(stream, kind, budgets.spend, None)
            found = collected(members, caps, is_class=True)
            budgets.depth = found.depth
            backslashes = _has_only_backslashes(found.entries)
            placed = [_placed(member, caps, backslashes=backslashes) for member in found.entries]
            by_folder = _by_folder(_tree(placed, caps, is_class=True))
        except RefusedUpload as refusal:
            hint = "download it again, or unpack it yourself and name the folder"
            raise UserError(str(refusal), place=str(path), hint=hint) from None
        except OSError as error:
            what = f"cannot be read ({error.strerror or error})"
            raise UserError(what, place=str(path)) from None
        fault = ""
        if found.broken:
            fault = f"{found.broken}: only the first {len(found.entries)} entries were read"
        yield _folder(path, by_folder, "", fault)


def _has_only_backslashes(members: Iterable[Entry]) -> bool:
    """Return whether a class's archive uses backslashes to separate folders, as some Windows
    programs do.

    Otherwise a backslash is a character in a name that one student chose.
    """
    count = 0
    separated = 0
    for member in members:
        if "/" in member.name:
            return False
        count += 1
        separated += BACKSLASH in member.name
    return 2 * separated > count


def _folder(archive: Path, by_folder: dict[str, list[Entry]], path: str, fault: str = "") -> Entry:
    """Return a folder in a class's archive: nothing of it is ever a path on our disk."""

    def everything(most: int) -> tuple[Entry, ...]:
        inside = by_folder.get(path, [])
        if len(inside) > most:
            raise RefusedUpload(f"more than {most} files")
        entries = []
        for entry in sorted(inside, key=lambda entry: entry.name):
            if entry.is_folder:
                below = f"{path}/{entry.name}".lstrip("/")
                entries.append(_folder(archive, by_folder, below, entry.fault))
            else:
                entries.append(replace(entry, start=partial(_bytes_of_ours, entry)))
        return tuple(entries)

    return Entry(
        name=path.rpartition("/")[2] or archive.name.partition(".")[0],
        kind=EntryKind.FOLDER,
        where=f"{archive}/{path}".rstrip("/"),
        is_packed=True,
        fault=fault,
        everything=everything,
    )


def _bytes_of_ours(entry: Entry, size: int) -> bytes:
    """Return bytes whose absence is not the student's fault."""
    try:
        return entry.start(size)
    except RefusedUpload as refusal:
        raise RefusedUpload(str(refusal), ours=True) from None


def _members(stream: BinaryIO, kind: FileKind, spend: Spend, most: int | None) -> Iterator[Entry]:
    """Yield everything that the archive names, with paths as names.

    One that is packed as a whole unpacks to `most` bytes at most. Raise Refused if nothing more
    can be read.
    """
    stream.seek(0)
    head = stream.read(HEAD_BYTES)
    actual = kind_of_bytes(head)
    if not head:
        raise RefusedUpload(f"is empty, expected {kind}")
    if actual is None:
        raise RefusedUpload(f"is not {kind}")
    if actual is not kind:
        raise RefusedUpload(f"is {actual}, expected {kind}")
    if kind is FileKind.ZIP:
        return zip_members(stream, spend)
    if kind is FileKind.TAR:
        return tar_members(FileTape(stream), spend)
    return tar_members(GzipTape(stream, most), spend)


def _placed(member: Entry, caps: Caps, *, backslashes: bool) -> Entry:
    """Return the member in its folder, with the fault of its path; NOWHERE if it is not in a
    folder."""
    shown = shown_path(member.name)
    path = member.name.replace(BACKSLASH, "/") if backslashes else member.name
    parts = [part for part in path.split("/") if part not in ("", ".")]
    fault = ""
    if path.startswith("/") or _DRIVE.match(path):
        fault = f"an absolute path ({shown})"
    elif ".." in parts:
        fault = f"a path outside the archive ({shown})"
    if fault or not parts:
        return Entry(name=shown, kind=EntryKind.NOWHERE, fault=fault)
    fault = member.fault
    if len(path) > caps.name_length:
        fault = f"a name of {len(path)} characters"
    elif "\0" in path:
        fault = f"a name with a NUL character ({shown})"
    elif len(parts) > caps.depth:
        fault = f"folders more than {caps.depth} deep"
    *folders, name = parts[: caps.depth]
    return replace(member, name=name, folder="/".join(folders), fault=fault)


def _path(entry: Entry) -> str:
    return f"{entry.folder}/{entry.name}".lstrip("/")


@dataclass(slots=True)
class _Tree:
    """The members by their paths, and the faults of each and of the folders above it."""

    files: dict[str, Entry] = field(default_factory=dict)
    folders: dict[str, Entry] = field(default_factory=dict)
    nowhere: list[Entry] = field(default_factory=list)
    junk: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def add(self, entry: Entry) -> None:
        """Add the entry and the folders that contain it."""
        path = _path(entry)
        if not entry.is_folder:
            self.files[path] = replace(entry, fault="")
            path = entry.folder
        while path and path not in self.folders:
            above, _, name = path.rpartition("/")
            self.folders[path] = Entry(name=name, folder=above, kind=EntryKind.FOLDER)
            path = above

    def blame(self, path: str, fault: str) -> None:
        """Store a fault for a path and for all folders that contain it.

        If a path already has a fault, the first one stays.
        """
        self.faults.append(fault)
        while path:
            for known in (self.files, self.folders):
                if path in known and not known[path].fault:
                    known[path] = replace(known[path], fault=fault)
            path = path.rpartition("/")[0]


def _tree(placed: list[Entry], caps: Caps, *, is_class: bool = False) -> _Tree:
    """Return all members by their paths.

    Raise Refused if there are more than the limits allow. Junk is neither counted nor read, and is
    left out of a student's archive.
    """
    tree = _Tree()
    junk_names = _junk_names(placed)
    count = 0
    for entry in placed:
        if entry.kind is EntryKind.NOWHERE:
            if entry.fault:
                tree.faults.append(entry.fault)
                tree.nowhere.append(entry)
            continue
        path = _path(entry)
        junk = _junk_above(path, junk_names)
        if junk is not None:
            tree.junk.add(junk)
            if is_class:
                tree.add(entry)
            continue
        count += not entry.is_folder
        caps.check_members(count)
        is_second = path in tree.files and not entry.is_folder
        tree.add(entry)
        if entry.fault:
            tree.blame(path, entry.fault)
        elif is_second:
            tree.blame(path, f"two files named {shown_path(path)}")
    for path in sorted(tree.files.keys() & tree.folders.keys()):
        if _junk_above(path, junk_names) is None:
            tree.blame(path, f"a file and a folder named {shown_path(path)}")
    return tree


def _junk_names(placed: Iterable[Entry]) -> dict[str, frozenset[str]]:
    """Return for each folder's path the names in it that are ignored, because tools
    created them.
    """
    names: dict[str, set[str]] = defaultdict(set)
    for entry in placed:
        path = _path(entry)
        while path:
            above, _, name = path.rpartition("/")
            names[above].add(name)
            path = above
    junk = {folder: junk_among(inside) for folder, inside in names.items()}
    for folder, inside in names.items():
        above, _, name = folder.rpartition("/")
        if name and is_environment(inside):
            junk[above] |= {name}
    return junk


def _junk_above(path: str, junk_names: dict[str, frozenset[str]]) -> str | None:
    """Return the path, or the first folder on the path, that is ignored; None if nothing is."""
    parts = path.split("/")
    for count, name in enumerate(parts):
        if name in junk_names.get("/".join(parts[:count]), ()):
            return "/".join(parts[: count + 1])
    return None


def _by_folder(tree: _Tree) -> dict[str, list[Entry]]:
    by_folder: dict[str, list[Entry]] = {"": list(tree.nowhere)}
    for entry in (*tree.folders.values(), *tree.files.values()):
        by_folder.setdefault(entry.folder, []).append(replace(entry, folder=""))
    return by_folder


def same_name(name: str, other: str) -> bool:
    """Return whether some systems treat these names as the same.

    Such names differ only in case or in the Unicode form of letters, such as é.
    """
    return without_case(name) == without_case(other)
