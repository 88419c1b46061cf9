"""The members of a tar archive, compressed with gzip or not.

Not by `tarfile`: some of the Python versions that we run on can be held up by one header of it.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from harness.intake.archives.members import Member, ReadBudget
from harness.intake.files.entries import EntryKind, Refused

BROKEN = "is a broken or incomplete tar archive"

_BROKEN_GZIP = "is a broken or incomplete gzip archive"
_BLOCK = 512
_CHUNK = 64 * 1024
_MAX_HEADER_BYTES = 16 * 1024
_KINDS = {
    b"\0": EntryKind.FILE,
    b"0": EntryKind.FILE,
    b"7": EntryKind.FILE,
    b"1": EntryKind.LINK,
    b"2": EntryKind.LINK,
    b"5": EntryKind.FOLDER,
}


def tar_members(stream: BinaryIO, budget: ReadBudget) -> Iterator[Member]:
    """An `ArchiveReader` for ustar, GNU and pax archives."""
    stream.seek(0, io.SEEK_END)
    end = stream.tell()
    position = count = 0
    longer = _Extended()
    while True:
        block = _read(stream, position, _BLOCK)
        if not block.strip(b"\0"):
            return
        header = _header(block)
        size = header.size if longer.size is None else longer.size
        start, position = position + _BLOCK, position + _BLOCK + -(-size // _BLOCK) * _BLOCK
        if start + size > end:
            raise Refused(BROKEN)
        count += 1
        budget.check_members(count)
        if header.type in b"LKxg":
            if size > _MAX_HEADER_BYTES:
                raise Refused(BROKEN)
            budget.spend(size)
            longer = longer.with_header(header.type, _read(stream, start, size))
            continue
        name = longer.name or header.name
        longer = _Extended()
        yield _member(stream, budget, name=name, kind=header.type, start=start, size=size)


def tar_gz_members(stream: BinaryIO, budget: ReadBudget) -> Iterator[Member]:
    """An `ArchiveReader`; the whole is decompressed in memory first, as far as the budget goes."""
    stream.seek(0)
    whole = io.BytesIO()
    for chunk in decompressed(stream):
        budget.spend(len(chunk))
        whole.write(chunk)
    budget.spent = 0  # from here on nothing more is decompressed
    return tar_members(whole, budget)


def decompressed(stream: BinaryIO) -> Iterator[bytes]:
    """The first gzip member of the stream, in pieces; there is no other in a .tar.gz.

    Raises Refused where the stream is broken.
    """
    decompressor = zlib.decompressobj(wbits=31)
    while not decompressor.eof:
        packed = decompressor.unconsumed_tail or stream.read(_CHUNK)
        try:
            piece = decompressor.decompress(packed, _CHUNK)
        except zlib.error:
            raise Refused(_BROKEN_GZIP) from None
        if not packed and not piece:
            raise Refused(_BROKEN_GZIP)
        yield piece


@dataclass(frozen=True, slots=True, kw_only=True)
class _Header:
    name: str
    size: int
    type: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extended:
    """What extended headers before a member say of it: its own header is too short for that."""

    name: str = ""
    size: int | None = None

    def with_header(self, kind: bytes, data: bytes) -> _Extended:
        if kind == b"L":
            return _Extended(name=_text(data.rstrip(b"\0")), size=self.size)
        if kind != b"x":
            return self
        name, size = self.name, self.size
        for key, value in _records(data):
            if key == b"path":
                name = _text(value)
            elif key == b"size":
                size = _decimal(value)
        return _Extended(name=name, size=size)


def _member(
    stream: BinaryIO, budget: ReadBudget, *, name: str, kind: bytes, start: int, size: int
) -> Member:
    def read(count: int) -> bytes:
        wanted = min(count, size)
        budget.spend(wanted)
        return _read(stream, start, wanted)

    # Before ustar a folder was a file whose name ends so.
    is_folder = kind in b"\0" and name.endswith("/")
    what = EntryKind.FOLDER if is_folder else _KINDS.get(kind, EntryKind.OTHER)
    return Member(name=name, kind=what, start=read)


def _header(block: bytes) -> _Header:
    total = sum(block[:148]) + 8 * ord(" ") + sum(block[156:])
    if _number(block[148:156]) != total:
        raise Refused(BROKEN)
    name = block[:100].split(b"\0")[0]
    prefix = block[345:500].split(b"\0")[0] if block[257:263] == b"ustar\0" else b""
    full = prefix + b"/" + name if prefix else name
    return _Header(name=_text(full), size=_number(block[124:136]), type=block[156:157])


def _number(field: bytes) -> int:
    """Octal digits, or (GNU) a first byte of 0x80 and a binary number."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    digits = field.split(b"\0")[0].strip(b" ")
    if digits.strip(b"01234567"):
        raise Refused(BROKEN)
    return int(digits or b"0", 8)


def _records(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The `LENGTH KEY=VALUE` lines of a pax header; the length is that of the whole line."""
    position = 0
    while position < len(data) and data[position]:
        space = data.find(b" ", position, position + 20)
        end = position + _decimal(data[position:space] if space > 0 else b"")
        equals = data.find(b"=", space, end)
        if equals < 0 or end > len(data):
            raise Refused(BROKEN)
        yield data[space + 1 : equals], data[equals + 1 : end - 1]
        position = end


def _decimal(digits: bytes) -> int:
    if not digits.isdigit() or len(digits) > 18:
        raise Refused(BROKEN)
    return int(digits)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


def _read(stream: BinaryIO, start: int, size: int) -> bytes:
    stream.seek(start)
    data = stream.read(size)
    if len(data) < size:
        raise Refused(BROKEN)
    return data
