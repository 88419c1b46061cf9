"""Archives (zip, and tar compressed with gzip or not) as entries under caps: names and bytes, never
a path on our disk.

Names that could lead out of a folder, or that could not be in one together, make the whole archive
refused; what systems leave behind is left out of a student's. `tarfile` reads no more than a tar's
single headers here: what it does with extended ones can hold up the Python versions that we run on.
"""

import io
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from tempfile import TemporaryFile
from typing import BinaryIO

from harness.common.errors import UserError
from harness.intake.entries import (
    HEAD_BYTES,
    Entry,
    EntryKind,
    FileKind,
    Refused,
    composed,
    is_ignored,
    kind_of_bytes,
    kind_of_mode,
    shown_path,
)

MIB = 1024 * 1024
_BROKEN_TAR = "is a broken or incomplete tar archive"
_BROKEN_GZIP = "is a broken or incomplete gzip archive"
_DIRECTORY_ENTRY = b"PK\x01\x02"  # begins what a zip archive says of each member
_LOCKED = 0x1
_UTF_8 = 0x800
# The only methods that give no more bytes at a time than they are asked for, and the only ones
# that the archiving programs of Windows, macOS and Linux use by themselves.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What zipfile raises for bytes that are not a zip archive, or are none that it can read.
_ZIP_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(RuntimeError, ValueError, OverflowError),  # the first also for methods it lacks
)
_CHUNK = 64 * 1024
_MAX_HEADER_BYTES = 16 * 1024
_EXTENDED = (
    tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE
)  # fmt: skip
_TAR_KINDS = {
    **dict.fromkeys((tarfile.AREGTYPE, tarfile.REGTYPE, tarfile.CONTTYPE), EntryKind.FILE),
    **dict.fromkeys((tarfile.LNKTYPE, tarfile.SYMTYPE), EntryKind.LINK),
    tarfile.DIRTYPE: EntryKind.FOLDER,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """How much one archive may hold. The defaults are for one student's."""

    members: int = 1000
    unpacked_bytes: int = 64 * MIB
    name_length: int = 400
    depth: int = 12


@dataclass(slots=True)
class ReadBudget:
    """What may still be read of one archive; bytes are counted when they are decompressed."""

    caps: Caps
    spent: int = 0

    def spend(self, count: int) -> None:
        self.spent += count
        if self.spent > self.caps.unpacked_bytes:
            raise Refused(f"unpacks to more than {self.caps.unpacked_bytes // MIB} MiB")

    def check_members(self, count: int) -> None:
        if count > self.caps.members:
            raise Refused(f"holds more than {self.caps.members} files")


def _zip_members(stream: BinaryIO, budget: ReadBudget) -> Iterator[Entry]:
    """Each with its path as name; contents are decompressed only when they are asked for."""
    # zipfile makes an object of each entry before it can be asked how many there are.
    stream.seek(0)
    count, rest = 0, b""
    while chunk := stream.read(MIB):
        window = rest + chunk
        count += window.count(_DIRECTORY_ENTRY)
        budget.check_members(count)
        rest = window[-(len(_DIRECTORY_ENTRY) - 1) :]
    try:
        archive = zipfile.ZipFile(stream)
    except _ZIP_ERRORS:
        raise Refused("is a broken or incomplete zip archive") from None
    infos = archive.infolist()
    ReadBudget(budget.caps).spend(sum(info.file_size for info in infos))
    for info in infos:
        yield _zip_member(archive, info, budget)


def _zip_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, budget: ReadBudget) -> Entry:
    def start(size: int) -> bytes:
        if info.flag_bits & _LOCKED:
            raise Refused("is locked with a password, expected a file without one")
        if info.compress_type not in _METHODS:
            raise Refused("is compressed by a method that usual archiving programs do not use")
        try:
            with archive.open(info) as file:
                data = file.read(size)
        except _ZIP_ERRORS:
            raise Refused("is damaged") from None
        budget.spend(len(data))
        return data

    mode = info.external_attr >> 16
    kind = kind_of_mode(mode) if stat.S_IFMT(mode) else EntryKind.FILE
    kind = EntryKind.FOLDER if info.filename.endswith("/") else kind
    return Entry(name=_zip_name(info), kind=kind, start=start)


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The name as it was when the archive was made. Without the flag for UTF-8 zipfile takes cp437
    for granted. What is UTF-8 all the same (macOS) is read as that; else as Windows-1252 where that
    gives letters, and as cp437 where not."""
    # zipfile cuts a name at its first NUL, where another program may not.
    name = info.orig_filename
    if info.flag_bits & _UTF_8 or name.isascii():
        return name
    try:
        raw = name.encode("cp437")
    except UnicodeEncodeError:
        return name  # zipfile has found the name elsewhere
    for encoding in ("utf-8", "cp1252"):
        with suppress(UnicodeDecodeError):
            read = raw.decode(encoding)
            if encoding == "utf-8" or all(c.isascii() or c.isalpha() for c in read):
                return read
    return name


def _tar_members(stream: BinaryIO, budget: ReadBudget) -> Iterator[Entry]:
    """Those of ustar, GNU and pax archives."""
    stream.seek(0, io.SEEK_END)
    end = stream.tell()
    position = count = 0
    name, length = "", None  # what extended headers say of the next member
    while True:
        block = _read_at(stream, position, tarfile.BLOCKSIZE)
        if not block.strip(b"\0"):
            return
        try:
            header = tarfile.TarInfo.frombuf(block, "utf-8", "replace")
        except (tarfile.HeaderError, ValueError):
            raise Refused(_BROKEN_TAR) from None
        size = header.size if length is None else length
        start = position + tarfile.BLOCKSIZE
        position = start + -(-size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
        if header.size < 0 or start + size > end:
            raise Refused(_BROKEN_TAR)
        count += 1
        budget.check_members(count)
        if header.type not in _EXTENDED:
            kind = _TAR_KINDS.get(header.type, EntryKind.OTHER)
            if header.type == tarfile.AREGTYPE and name.endswith("/"):
                kind = EntryKind.FOLDER  # as before ustar
            read = partial(_read_counted, stream, budget, start, size)
            yield Entry(name=name or header.name, kind=kind, start=read)
            name, length = "", None
            continue
        if size > _MAX_HEADER_BYTES:
            raise Refused(_BROKEN_TAR)
        budget.spend(size)
        data = _read_at(stream, start, size)
        if header.type == tarfile.GNUTYPE_LONGNAME:
            name = data.rstrip(b"\0").decode("utf-8", "replace")
        elif header.type == tarfile.XHDTYPE:
            records = dict(_records(data))
            name = records[b"path"].decode("utf-8", "replace") if b"path" in records else name
            length = _decimal(records[b"size"]) if b"size" in records else length


def _decompress(stream: BinaryIO, into: BinaryIO, budget: ReadBudget) -> None:
    """Write what the first gzip member of the stream holds; there is no other in a .tar.gz. Raises
    Refused where the stream is broken, or holds more than the budget allows."""
    stream.seek(0)
    decompressor = zlib.decompressobj(wbits=31)
    while not decompressor.eof:
        packed = decompressor.unconsumed_tail or stream.read(_CHUNK)
        try:
            piece = decompressor.decompress(packed, _CHUNK)
        except zlib.error:
            raise Refused(_BROKEN_GZIP) from None
        if not packed and not piece:
            raise Refused(_BROKEN_GZIP)
        budget.spend(len(piece))
        into.write(piece)


def _read_counted(stream: BinaryIO, budget: ReadBudget, start: int, size: int, count: int) -> bytes:
    budget.spend(min(count, size))
    return _read_at(stream, start, min(count, size))


def _records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The `LENGTH KEY=VALUE` lines of a pax header; the length is that of the whole line."""
    position = 0
    while position < len(data) and data[position]:
        space = data.find(b" ", position, position + 20)
        end = position + _decimal(data[position:space] if space > 0 else b"")
        equals = data.find(b"=", space, end)
        if equals < 0 or end > len(data):
            raise Refused(_BROKEN_TAR)
        yield data[space + 1 : equals], data[equals + 1 : end - 1]
        position = end


def _decimal(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > 18:
        raise Refused(_BROKEN_TAR)
    return int(digits)


def _read_at(stream: BinaryIO, start: int, size: int) -> bytes:
    stream.seek(start)
    data = stream.read(size)
    if len(data) < size:
        raise Refused(_BROKEN_TAR)
    return data


_DRIVE = re.compile(r"[A-Za-z]:")
# A class, not a submission: what is read of it is counted all the same.
CLASS_CAPS = Caps(members=200_000, unpacked_bytes=4096 * MIB)


def kind_named(name: str) -> FileKind:
    """The kind of archive that a name promises whose ending is one of `ARCHIVE_ENDINGS`."""
    return {".zip": FileKind.ZIP, ".tar": FileKind.TAR}.get(PurePath(name).suffix, FileKind.GZIP)


def read_archive(stream: BinaryIO, kind: FileKind, caps: Caps = Caps()) -> tuple[Entry, ...]:
    """The files, links and special files of a seekable stream that should be an archive of this
    kind, by path, without what is ignored. Keep the stream open: bytes are read when asked for.
    Raises Refused with a phrase that follows the archive's name ("is a RAR archive, …")."""
    files = (entry for entry in _read(stream, kind, caps) if not entry.is_folder)
    return tuple(each for each in files if not _is_junk([*each.folder.split("/"), each.name]))


@contextmanager
def unpacked(path: Path, caps: Caps = CLASS_CAPS) -> Iterator[Entry]:
    """A class's archive as a folder, to be read while the context lasts. Raises UserError when it
    is not an archive that can be read, or is more than the caps allow."""
    with ExitStack() as stack:
        try:
            stream: BinaryIO = stack.enter_context(path.open("rb"))
            kind = kind_of_bytes(stream.read(HEAD_BYTES))
            if kind is FileKind.GZIP:
                tar = stack.enter_context(TemporaryFile())
                _decompress(stream, tar, ReadBudget(caps))
                kind, stream = FileKind.TAR, tar
            if kind not in (FileKind.ZIP, FileKind.TAR):
                raise Refused(f"is {kind or 'not an archive'}, expected a zip or tar archive")
            by_folder: dict[str, list[Entry]] = {}
            for entry in _read(stream, kind, caps):
                by_folder.setdefault(entry.folder, []).append(replace(entry, folder=""))
        except Refused as refusal:
            hint = "download it again, or unpack it yourself and name the folder"
            raise UserError(str(refusal), place=str(path), hint=hint) from None
        except OSError as error:
            what = f"cannot be read ({error.strerror or error})"
            raise UserError(what, place=str(path)) from None
        yield _folder(path, by_folder, "")


def _folder(archive: Path, by_folder: dict[str, list[Entry]], path: str) -> Entry:
    """A folder in a class's archive: nothing of it is ever a path on our disk."""

    def everything(most: int) -> tuple[Entry, ...]:
        inside = by_folder.get(path, [])
        if len(inside) > most:
            raise Refused(f"more than {most} files")
        return tuple(
            _folder(archive, by_folder, f"{path}/{entry.name}".lstrip("/"))
            if entry.is_folder
            else replace(entry, start=partial(_bytes_of_ours, entry))
            for entry in sorted(inside, key=lambda entry: entry.name)
        )

    return Entry(
        name=path.rpartition("/")[2] or archive.name.partition(".")[0],
        kind=EntryKind.FOLDER,
        where=f"{archive}/{path}".rstrip("/"),
        is_packed=True,
        everything=everything,
    )


def _bytes_of_ours(entry: Entry, size: int) -> bytes:
    """That they cannot be had is not a fault of the student's."""
    try:
        return entry.start(size)
    except Refused as refusal:
        raise Refused(str(refusal), ours=True) from None


def _read(stream: BinaryIO, kind: FileKind, caps: Caps) -> tuple[Entry, ...]:
    """Everything in the archive and all its folders, by path."""
    stream.seek(0)
    head = stream.read(HEAD_BYTES)
    actual = kind_of_bytes(head)
    if not head:
        raise Refused(f"is empty, expected {kind}")
    if actual is not kind:
        raise Refused(f"is {actual}, expected {kind}" if actual else f"is not {kind}")
    if kind is FileKind.GZIP:
        # In memory, as far as a budget goes; after it nothing more is decompressed, and another
        # one counts the members.
        packed, stream = stream, io.BytesIO()
        _decompress(packed, stream, ReadBudget(caps))
    members = _zip_members if kind is FileKind.ZIP else _tar_members
    entries: dict[str, Entry] = {}
    folders: dict[str, Entry] = {}
    for member in members(stream, ReadBudget(caps)):
        parts = _checked_parts(member.name, caps)
        above = parts if member.is_folder else parts[:-1]
        for count, name in enumerate(above):
            path = "/".join(above[: count + 1])
            if path not in folders:
                folder = "/".join(above[:count])
                folders[path] = Entry(name=name, folder=folder, kind=EntryKind.FOLDER)
        if member.is_folder or not parts:
            continue
        path = "/".join(parts)
        if path in entries and not _is_junk(parts):
            raise Refused(f"holds two files named {shown_path(path)}")
        entries[path] = replace(member, name=parts[-1], folder="/".join(parts[:-1]))
    for path in entries:
        if path in folders and not _is_junk(path.split("/")):
            raise Refused(f"holds a file and a folder named {shown_path(path)}")
    return tuple(by_path[path] for by_path in (folders, entries) for path in sorted(by_path))


def same_name(one: str, other: str) -> bool:
    """Whether two names are one on some systems: case and composed letters left aside."""
    first, second = (composed(composed(name).casefold()) for name in (one, other))
    return first == second


def _is_junk(parts: Sequence[str]) -> bool:
    return any(map(is_ignored, parts))


def _checked_parts(name: str, caps: Caps) -> list[str]:
    """The folders and the name of a member; Refused for what is not a plain path below a folder."""
    shown = shown_path(name)
    if len(name) > caps.name_length:
        raise Refused(f"holds a name of {len(name)} characters")
    if name.startswith("/") or _DRIVE.match(name):
        raise Refused(f"holds an absolute path ({shown})")
    if "\\" in name:
        raise Refused(f"holds a path with a backslash ({shown})")
    if "\0" in name:
        raise Refused(f"holds a name with a NUL character ({shown})")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Refused(f"holds a path that leads out of it ({shown})")
    if len(parts) > caps.depth:
        raise Refused(f"holds folders more than {caps.depth} deep")
    return parts
