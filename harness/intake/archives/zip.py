"""The members of a zip archive."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from harness.intake.archives.members import MIB, Member, ReadBudget
from harness.intake.files.entries import EntryKind, Refused

BROKEN = "is a broken or incomplete zip archive"

_DIRECTORY_ENTRY = b"PK\x01\x02"
_LOCKED = 0x1
_UTF_8 = 0x800
# The only methods that give no more bytes at a time than they are asked for, and the only ones
# that the archiving programs of Windows, macOS and Linux use by themselves.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What zipfile raises for bytes that are no zip archive, or are none that it can read.
_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(RuntimeError, ValueError, OverflowError),  # the first also for methods it lacks
)


def zip_members(stream: BinaryIO, budget: ReadBudget) -> Iterator[Member]:
    """An `ArchiveReader`; contents are decompressed only when they are asked for."""
    # zipfile makes an object of each entry before it can be asked how many there are.
    budget.check_members(_count(stream, _DIRECTORY_ENTRY, budget.caps.members))
    try:
        archive = zipfile.ZipFile(stream)
    except _ERRORS:
        raise Refused(BROKEN) from None
    infos = archive.infolist()
    if sum(info.file_size for info in infos) > budget.caps.unpacked_bytes:
        raise Refused(f"unpacks to more than {budget.caps.unpacked_bytes // MIB} MiB")
    for info in infos:
        yield _member(archive, info, budget)


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: ReadBudget) -> Member:
    def start(size: int) -> bytes:
        if info.flag_bits & _LOCKED:
            raise Refused("is locked with a password, expected a file without one")
        if info.compress_type not in _METHODS:
            raise Refused("is compressed by a method that usual archiving programs do not use")
        try:
            with archive.open(info) as file:
                data = file.read(size)
        except _ERRORS:
            raise Refused("is damaged") from None
        budget.spend(len(data))
        return data

    return Member(name=_name(info), kind=_kind(info), start=start)


def _name(info: zipfile.ZipInfo) -> str:
    """The name as it was when the archive was made.

    Without the flag for UTF-8 zipfile takes cp437 for granted. What is UTF-8 all the same (macOS)
    is read as that; else as Windows-1252 where that gives letters, and as cp437 where not.
    """
    # zipfile cuts a name at its first NUL, where another program may not.
    name = info.orig_filename
    if info.flag_bits & _UTF_8 or name.isascii():
        return name
    try:
        raw = name.encode("cp437")
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        pass
    except UnicodeEncodeError:
        return name  # zipfile has found the name elsewhere
    try:
        western = raw.decode("cp1252")
    except UnicodeDecodeError:
        return name
    return western if all(c.isascii() or c.isalpha() for c in western) else name


def _kind(info: zipfile.ZipInfo) -> EntryKind:
    mode = stat.S_IFMT(info.external_attr >> 16)
    if info.filename.endswith("/") or mode == stat.S_IFDIR:
        return EntryKind.FOLDER
    if mode == stat.S_IFLNK:
        return EntryKind.LINK
    return EntryKind.FILE if mode in (0, stat.S_IFREG) else EntryKind.OTHER


def _count(stream: BinaryIO, mark: bytes, enough: int) -> int:
    """How often the mark is in the stream; counted no further than one beyond `enough`."""
    stream.seek(0)
    count, kept = 0, b""
    while count <= enough and (chunk := stream.read(MIB)):
        window = kept + chunk
        count += window.count(mark)
        kept = window[-(len(mark) - 1) :]
    return count
