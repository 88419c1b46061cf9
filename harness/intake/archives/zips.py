"""Zip archives: the members that the directory at the end of one names.

It is read here because `zipfile` refuses a whole archive for one name or field that it cannot read,
and a class's archive holds what everybody chose to call a file.
"""

import io
import stat
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from harness.intake.caps import MIB, Spend
from harness.intake.entries import Entry, EntryKind, RefusedUpload, kind_of_mode

_BROKEN = "is a broken or incomplete zip archive"
_DAMAGED = "is damaged"
_END = struct.Struct("<4s4H2LH")
_LOCATOR_64 = struct.Struct("<4sLQL")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_MEMBER = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_MAX_COMMENT = 0xFFFF
_IS_64 = 0xFFFFFFFF  # instead of a size or an offset that is in the extra field
_SIZES_64, _NAME_IN_UTF_8 = 0x0001, 0x7075
_LOCKED = 0x1
_SIZES_AFTER = 0x8
_MAX_MEASURED = 256 * MIB
_MARKS = (b"PK\x03\x04", b"PK\x01\x02")
_UTF_8 = 0x800
_UNIX_MODE = 16
_CHUNK = 64 * 1024
# The only methods that give no more bytes at a time than they are asked for, and the only ones
# that the archiving programs of Windows, macOS and Linux use by themselves.
_STORED, _DEFLATED = 0, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    raw_name: bytes
    unicode_name: str  # "" if the archive has no other one
    flags: int
    method: int
    checksum: int
    packed: int
    size: int
    mode: int
    start: int  # of its own header


def zip_members(stream: BinaryIO, spend: Spend) -> Iterator[Entry]:
    """Yield each member with its path as name; contents are decompressed only when they are asked
    for.

    Raise Refused if the rest cannot be read. An archive that was cut off has no directory: its
    complete members are then found by their own headers.
    """
    try:
        at, size, shift = _directory(stream)
    except RefusedUpload:
        for member in _without_directory(stream):
            yield _entry(stream, spend, member)
        raise
    for member in _listed(stream, at, size, shift):
        yield _entry(stream, spend, member)


def _entry(stream: BinaryIO, spend: Spend, member: _Member) -> Entry:
    name = _name(member)
    kind = EntryKind.FILE
    if stat.S_IFMT(member.mode):
        kind = kind_of_mode(member.mode)
    if name.endswith(("/", "\\")):
        kind = EntryKind.FOLDER
    start = partial(_beginning, stream, partial(spend, name), member)
    return Entry(name=name, kind=kind, size=member.size, start=start)


def _listed(stream: BinaryIO, at: int, size: int, shift: int) -> Iterator[_Member]:
    """Yield the directory's entries."""
    stream.seek(at)
    end = at + size
    while at < end:
        fixed = stream.read(_MEMBER.size)
        if len(fixed) < _MEMBER.size or not fixed.startswith(b"PK\x01\x02"):
            raise RefusedUpload(_BROKEN)
        fields = _MEMBER.unpack(fixed)
        name_length, extra_length, comment_length = fields[10:13]
        rest_length = name_length + extra_length + comment_length
        rest = stream.read(rest_length)
        at += len(fixed) + rest_length
        if len(rest) < rest_length or at > end:
            raise RefusedUpload(_BROKEN)
        extra = rest[name_length : name_length + extra_length]
        sizes = _with_64([fields[9], fields[8], fields[16]], extra)
        yield _Member(
            raw_name=rest[:name_length],
            unicode_name=_unicode_name(extra),
            flags=fields[3],
            method=fields[4],
            checksum=fields[7],
            size=sizes[0],
            packed=sizes[1],
            start=sizes[2] + shift,
            mode=fields[15] >> _UNIX_MODE,
        )


def _without_directory(stream: BinaryIO) -> Iterator[_Member]:
    """Yield the complete members of an archive that was cut off."""
    length = stream.seek(0, io.SEEK_END)
    at = 0
    while at < length:
        stream.seek(at)
        fixed = stream.read(_LOCAL.size)
        if len(fixed) < _LOCAL.size or not fixed.startswith(b"PK\x03\x04"):
            return
        _, _, flags, method, _, _, checksum, packed, size, name_length, extra_length = (
            _LOCAL.unpack(fixed)
        )
        raw_name, extra = stream.read(name_length), stream.read(extra_length)
        size, packed = _with_64([size, packed], extra)
        begin = at + _LOCAL.size + name_length + extra_length
        after = 0
        if flags & _SIZES_AFTER:
            found = _measured(stream, begin) if method == _DEFLATED else None
            if found is None:
                return
            packed, size, checksum = found
            after = _length_of_sizes(stream, begin + packed)
        if begin + packed > length:
            return
        yield _Member(
            raw_name=raw_name,
            unicode_name=_unicode_name(extra),
            flags=flags,
            method=method,
            checksum=checksum,
            size=size,
            packed=packed,
            start=at,
            mode=0,
        )
        at = begin + packed + after


def _measured(stream: BinaryIO, begin: int) -> tuple[int, int, int] | None:
    """Return how long a member is, packed and not, and its checksum; None if it does not end."""
    stream.seek(begin)
    decompressor = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    packed = size = checksum = 0
    pending = b""
    while not decompressor.eof:
        piece = pending or stream.read(_CHUNK)
        try:
            data = decompressor.decompress(piece, _CHUNK)
        except zlib.error:
            return None
        pending = decompressor.unconsumed_tail
        packed += len(piece) - len(pending) - len(decompressor.unused_data)
        size += len(data)
        checksum = zlib.crc32(data, checksum)
        if size > _MAX_MEASURED or not (piece or data):
            return None
    return packed, size, checksum


def _length_of_sizes(stream: BinaryIO, at: int) -> int:
    """Return how long the record is that has the sizes of a member behind it: 12 bytes, or 20 for
    large ones, and 4 more if it has a mark."""
    stream.seek(at)
    data = stream.read(24 + 4)
    mark = 4 if data.startswith(b"PK\x07\x08") else 0
    large = data[mark + 20 : mark + 24] in _MARKS
    return mark + (20 if large else 12)


def _directory(stream: BinaryIO) -> tuple[int, int, int]:
    """Return the directory's start, its size, and by how much its offsets are too small
    because something precedes the archive. Raise Refused if it has none.
    """
    length = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, length - _END.size - _MAX_COMMENT))
    tail = stream.read()
    found = tail.rfind(b"PK\x05\x06")
    if found < 0 or len(tail) - found < _END.size:
        raise RefusedUpload(_BROKEN)
    *_, size, offset, _ = _END.unpack(tail[found : found + _END.size])
    end = length - len(tail) + found
    locator = end - _LOCATOR_64.size
    if locator >= _END_64.size:
        stream.seek(locator)
        if stream.read(4) == b"PK\x06\x07":
            end = locator - _END_64.size
            stream.seek(end)
            fields = _END_64.unpack(stream.read(_END_64.size))
            if fields[0] != b"PK\x06\x06":
                raise RefusedUpload(_BROKEN)
            size, offset = fields[-2:]
    start = end - size
    if start < offset:
        raise RefusedUpload(_BROKEN)
    return start, size, start - offset


def _with_64(values: list[int], extra: bytes) -> list[int]:
    """Return the values, taking those that are too large for four bytes from the extra field."""
    data = _extra_field(extra, _SIZES_64)
    large = struct.iter_unpack("<Q", data[: len(data) // 8 * 8])
    for index, value in enumerate(values):
        if value == _IS_64:
            values[index] = next(large, (value,))[0]
    return values


def _unicode_name(extra: bytes) -> str:
    return _extra_field(extra, _NAME_IN_UTF_8)[5:].decode("utf-8", "replace")


def _extra_field(extra: bytes, wanted: int) -> bytes:
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, position)
        if kind == wanted:
            return extra[position + 4 : position + 4 + length]
        position += 4 + length
    return b""


def _name(member: _Member) -> str:
    """Return the name as it was when the archive was made.

    Without the flag for UTF-8 it should be in cp437. Valid UTF-8 (macOS) is read as that; otherwise
    Windows-1252 is used if that gives letters, and cp437 if not.
    """
    if member.unicode_name:
        return member.unicode_name
    raw = member.raw_name
    with suppress(UnicodeDecodeError):
        return raw.decode("utf-8")
    if member.flags & _UTF_8:
        return raw.decode("utf-8", "replace")
    with suppress(UnicodeDecodeError):
        read = raw.decode("cp1252")
        if all(c.isascii() or c.isalpha() for c in read):
            return read
    return raw.decode("cp437")


def _beginning(
    stream: BinaryIO, spend: Callable[[int], None], member: _Member, count: int
) -> bytes:
    """Return the first `count` bytes of a member, or all if it has fewer; raise Refused if they
    cannot be read."""
    if member.flags & _LOCKED:
        raise RefusedUpload("is locked with a password, expected a file without one")
    if member.method not in (_STORED, _DEFLATED):
        raise RefusedUpload("is compressed by an unusual method")
    if member.start >= stream.seek(0, io.SEEK_END):
        raise RefusedUpload(_DAMAGED)
    stream.seek(member.start)
    header = stream.read(_LOCAL.size)
    if len(header) < _LOCAL.size or not header.startswith(b"PK\x03\x04"):
        raise RefusedUpload(_DAMAGED)
    name_length, extra_length = _LOCAL.unpack(header)[-2:]
    if stream.read(name_length) != member.raw_name:
        raise RefusedUpload(_DAMAGED)
    stream.seek(extra_length, io.SEEK_CUR)
    wanted = min(count, member.size)
    if member.method == _STORED:
        data = stream.read(min(wanted, member.packed))
    else:
        data = _inflated(stream, member.packed, wanted)
    spend(len(data))
    is_whole = wanted == member.size
    if len(data) < wanted or (is_whole and zlib.crc32(data) != member.checksum):
        raise RefusedUpload(_DAMAGED)
    return data


def _inflated(stream: BinaryIO, packed: int, wanted: int) -> bytes:
    decompressor = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    data = bytearray()
    while len(data) < wanted and not decompressor.eof:
        piece = decompressor.unconsumed_tail
        if not piece:
            piece = stream.read(min(_CHUNK, packed))
            packed -= len(piece)
        try:
            more = decompressor.decompress(piece, wanted - len(data))
        except zlib.error:
            raise RefusedUpload(_DAMAGED) from None
        if not piece and not more:
            break
        data += more
    return bytes(data)
