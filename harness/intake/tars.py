"""Tar archives, compressed with gzip or not: ustar, GNU and pax.

`tarfile` reads no more than single headers here: what it does with extended ones can hold up the
Python versions that we run on.
"""

import io
import tarfile
import zlib
from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

from harness.intake.caps import MOST_MEMBERS, ReadBudget
from harness.intake.entries import Entry, EntryKind, Refused

_BROKEN_TAR = "is a broken or incomplete tar archive"
_BROKEN_GZIP = "is a broken or incomplete gzip archive"
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


def tar_members(stream: BinaryIO, budget: ReadBudget) -> Iterator[Entry]:
    """Yield each member with its path as name."""
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
        if count > MOST_MEMBERS:
            raise Refused(f"holds more than {MOST_MEMBERS} files")
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


def decompress(stream: BinaryIO, into: BinaryIO, budget: ReadBudget) -> None:
    """Write the content of the stream's first gzip member; a .tar.gz has no other.

    Raise Refused if the stream is broken or holds more than the budget allows.
    """
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
    """Return the `LENGTH KEY=VALUE` lines of a pax header; the length is that of the whole line."""
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
