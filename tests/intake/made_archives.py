"""Archives for tests: ordinary ones from the standard library, hostile ones byte by byte."""

import io
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any

Files = Sequence[tuple[str, bytes]]

GIB = 1024**3


def zipped(files: Files, *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Names and bytes as a zip archive, twice the same name where the list has it."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", method) as archive:
        warnings.simplefilter("ignore", UserWarning)  # of zipfile, for a name that comes twice
        for name, data in files:
            # ZipInfo itself would cut the name at a NUL.
            info = zipfile.ZipInfo("name")
            info.filename = name
            info.compress_type = method
            archive.writestr(info, data)
    return out.getvalue()


class _OneWay(io.RawIOBase):
    """A stream that nobody can go back in: what a platform that sends an archive writes to."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.data += data
        return len(data)


def streamed(files: Files) -> bytes:
    """A zip archive whose sizes are behind the members."""
    out = _OneWay()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return bytes(out.data)


def zipped_at(name: str, start: int) -> bytes:
    """A zip archive whose directory says that its empty member begins at this byte."""
    data = zipped([(name, b"")])
    at = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    extra = struct.pack("<HHQ", 1, 8, start)
    entry = bytearray(data[at:end])
    struct.pack_into("<H", entry, 30, len(extra))
    struct.pack_into("<L", entry, 42, 0xFFFFFFFF)
    entry += extra
    ends = bytearray(data[end:])
    struct.pack_into("<L", ends, 12, len(entry))
    return bytes(data[:at] + entry + ends)


def zipped_as(name: str, data: bytes, *, mode: int) -> bytes:
    """A zip archive of one member with a Unix mode: a link, a device."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.create_system = 3
        info.external_attr = mode << 16
        archive.writestr(info, data)
    return out.getvalue()


def with_flag(archive: bytes, flag: int, *, member: int | None = None) -> bytes:
    """The zip archive with a flag set in the headers of one member, or of all: 1 for a password."""
    data = bytearray(archive)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at, count = data.find(mark), 0
        while at >= 0:
            if member in (None, count):
                data[at + offset] |= flag
            at, count = data.find(mark, at + 1), count + 1
    return bytes(data)


def tarred(files: Files, *, mode: str = "w:gz", form: int = tarfile.PAX_FORMAT) -> bytes:
    """Names and bytes as a tar archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=form) as archive:  # type: ignore[call-overload]
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def tarred_as(name: str, kind: bytes, *, target: str = "") -> bytes:
    """A tar archive of one member of a kind without contents: a link, a device."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.type = kind
        info.linkname = target
        archive.addfile(info)
    return out.getvalue()


def zip_bomb(name: str, *, declared: int) -> bytes:
    """A zip archive of a megabyte whose member decompresses to 1 GiB of zeros."""
    packed = _deflated_zeros(-15)
    encoded = name.encode()
    sizes = struct.pack("<III", 0, len(packed), declared)
    common = struct.pack("<HHHHH", 20, 0, 8, 0, 0) + sizes
    local = b"PK\x03\x04" + common + struct.pack("<HH", len(encoded), 0) + encoded + packed
    central = b"PK\x01\x02" + struct.pack("<H", 20) + common
    central += struct.pack("<HHHHHII", len(encoded), 0, 0, 0, 0, 0, 0) + encoded
    ends = struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + b"PK\x05\x06" + ends


def gzip_bomb() -> bytes:
    """A gzip stream of a megabyte that decompresses to 1 GiB of zeros."""
    return _deflated_zeros(31)


def _deflated_zeros(window: int) -> bytes:
    # After a full flush a piece stands alone, so that one can be repeated.
    compressor = zlib.compressobj(9, zlib.DEFLATED, window)
    zeros = bytes(1024 * 1024)
    first = compressor.compress(zeros) + compressor.flush(zlib.Z_FULL_FLUSH)
    piece = compressor.compress(zeros) + compressor.flush(zlib.Z_FULL_FLUSH)
    return first + piece * (GIB // len(zeros) - 1) + compressor.flush()
