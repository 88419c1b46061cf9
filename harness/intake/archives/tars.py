"""Tar archives, compressed with gzip or not: ustar, GNU and pax.

`tarfile` reads no more than single headers here: its handling of extended ones can hold up the
Python versions that we run on.
"""

import tarfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO, Protocol

from harness.intake.caps import Spend
from harness.intake.entries import Entry, EntryKind, RefusedUpload

_BROKEN_TAR = "is a broken or incomplete tar archive"
_MAX_HEADER_BYTES = 16 * 1024
_EXTENDED = (
    tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE
)  # fmt: skip
_TAR_KINDS = {
    **dict.fromkeys((tarfile.AREGTYPE, tarfile.REGTYPE, tarfile.CONTTYPE), EntryKind.FILE),
    **dict.fromkeys((tarfile.LNKTYPE, tarfile.SYMTYPE), EntryKind.LINK),
    tarfile.DIRTYPE: EntryKind.FOLDER,
}


class Tape(Protocol):
    """The source of a tar archive's bytes."""

    def read_at(self, start: int, size: int) -> bytes:
        """Return `size` bytes from `start` on, fewer at the end.

        Raise Refused if they cannot be read.
        """


class FileTape:
    """A file that is not compressed."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read_at(self, start: int, size: int) -> bytes:
        """Return so many bytes, fewer at the end."""
        if start > self._stream.seek(0, 2):
            return b""
        self._stream.seek(start)
        return self._stream.read(size)


def tar_members(tape: Tape, spend: Spend) -> Iterator[Entry]:
    """Yield each member with its path as name; raise Refused if nothing more can be read.

    No member is looked for behind that: a block that looks like one may lie in a student's file.
    """
    position = 0
    name, length, fault = "", None, ""  # what extended headers say of the next member
    while True:
        block = _read_at(tape, position, tarfile.BLOCKSIZE)
        if not block.strip(b"\0"):
            return
        try:
            header = tarfile.TarInfo.frombuf(block, "utf-8", "replace")
        except (tarfile.HeaderError, ValueError):
            raise RefusedUpload(_BROKEN_TAR) from None
        size = header.size if length is None else length
        start = position + tarfile.BLOCKSIZE
        position = start + -(-size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
        if header.size < 0:
            raise RefusedUpload(_BROKEN_TAR)
        if size:
            _read_at(tape, start + size - 1, 1)  # all of it is there
        if header.type not in _EXTENDED:
            kind = _TAR_KINDS.get(header.type, EntryKind.OTHER)
            if header.type == tarfile.AREGTYPE and name.endswith("/"):
                kind = EntryKind.FOLDER  # as before ustar
            path = name or header.name
            read = partial(_read_counted, tape, partial(spend, path), start, size)
            yield Entry(name=path, kind=kind, start=read, fault=fault)
            name, length, fault = "", None, ""
            continue
        if size > _MAX_HEADER_BYTES:
            fault = f"a name or attributes of {size} bytes"
            continue
        data = _read_at(tape, start, size)
        if header.type == tarfile.GNUTYPE_LONGNAME:
            name = data.rstrip(b"\0").decode("utf-8", "replace")
        elif header.type == tarfile.XHDTYPE:
            records = dict(_records(data))
            if b"path" in records:
                name = records[b"path"].decode("utf-8", "replace")
            if b"size" in records:
                length = _decimal(records[b"size"])


def _read_counted(
    tape: Tape, spend: Callable[[int], None], start: int, size: int, count: int
) -> bytes:
    spend(min(count, size))
    return _read_at(tape, start, min(count, size))


def _records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Return the `LENGTH KEY=VALUE` lines of a pax header; the length is that of the whole line."""
    position = 0
    while position < len(data) and data[position]:
        space = data.find(b" ", position, position + 20)
        end = position + _decimal(data[position:space] if space > 0 else b"")
        equals = data.find(b"=", space, end)
        if equals < 0 or end > len(data):
            raise RefusedUpload(_BROKEN_TAR)
        yield data[space + 1 : equals], data[equals + 1 : end - 1]
        position = end


def _decimal(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > 18:
        raise RefusedUpload(_BROKEN_TAR)
    return int(digits)


def _read_at(tape: Tape, start: int, size: int) -> bytes:
    data = tape.read_at(start, size)
    if len(data) < size:
        raise RefusedUpload(_BROKEN_TAR)
    return data
