"""Read a gzip stream from any position.

The unpacked content is stored neither on disk nor in memory, so one large file in a class's archive
costs only time.
"""

import zlib
from dataclasses import dataclass
from typing import Any, BinaryIO

from harness.intake.caps import MIB
from harness.intake.entries import RefusedUpload

BROKEN_GZIP = "is a broken or incomplete gzip archive"
_CHUNK = 64 * 1024
_SPACING = 32 * MIB  # between two places from which reading can go on


@dataclass(frozen=True, slots=True, kw_only=True)
class _MemberState:
    """The state from which unpacking can continue at `position` of the unpacked content."""

    position: int
    packed_position: int
    pending: bytes
    decompressor: Any


class GzipTape:
    """Reads the content of a stream's first gzip member; a .tar.gz has no other.

    Raise Refused if the stream is broken, or unpacks to more than `most` bytes (None: no limit).
    """

    def __init__(self, stream: BinaryIO, most: int | None) -> None:
        self._stream = stream
        self._most = most
        begin = zlib.decompressobj(wbits=31)
        self._marks = [_MemberState(position=0, packed_position=0, pending=b"", decompressor=begin)]
        self._go_to(self._marks[0])

    def read_at(self, start: int, size: int) -> bytes:
        """Return `size` bytes from position `start` of the unpacked content, or fewer at
        the end.
        """
        index = min(start // _SPACING, len(self._marks) - 1)
        mark = self._marks[index]
        if not mark.position <= self._position <= start:
            self._go_to(mark)
        while self._position < start:
            if not self._next(start - self._position):
                return b""
        data = bytearray()
        while len(data) < size:
            piece = self._next(size - len(data))
            if not piece:
                break
            data += piece
        return bytes(data)

    def _go_to(self, mark: _MemberState) -> None:
        self._position = mark.position
        self._pending = mark.pending
        self._decompressor = mark.decompressor.copy()
        self._stream.seek(mark.packed_position)

    def _next(self, most: int) -> bytes:
        """Return the next bytes, at most `most`; empty at the end."""
        to_next_mark = len(self._marks) * _SPACING - self._position
        most = min(most, _CHUNK, to_next_mark)
        piece = b""
        while not piece and not self._decompressor.eof:
            packed = self._pending or self._stream.read(_CHUNK)
            try:
                piece = self._decompressor.decompress(packed, most)
            except zlib.error:
                raise RefusedUpload(BROKEN_GZIP) from None
            self._pending = self._decompressor.unconsumed_tail
            if not packed and not piece:
                raise RefusedUpload(BROKEN_GZIP)
        self._position += len(piece)
        if self._most is not None and self._position > self._most:
            raise RefusedUpload(f"unpacks to more than {self._most // MIB} MiB")
        if len(piece) == to_next_mark:
            self._mark()
        return piece

    def _mark(self) -> None:
        mark = _MemberState(
            position=self._position,
            packed_position=self._stream.tell(),
            pending=self._pending,
            decompressor=self._decompressor.copy(),
        )
        self._marks.append(mark)
