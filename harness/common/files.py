"""Files on disk: safe names for pages, atomic writing, archives whose bytes depend only on their
content, and the digest of our own sources."""

import functools
import io
import os
import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import BinaryIO

from harness.common.escaping import encoded

_PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
_HASHED = re.compile(r"-[0-9a-f]{10}$")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?")
_OWNER_ONLY = 0o600


def page_name(submission_id: str) -> str:
    """Return a file name for a submission's page: the id if every file system accepts it, otherwise
    its plain characters and a digest. Different ids have different names, even on file systems that
    ignore case."""
    plain = _PLAIN.fullmatch(submission_id) and not submission_id.endswith(".")
    if plain and not _HASHED.search(submission_id) and not _DEVICES.fullmatch(submission_id):
        return submission_id + ".html"
    digest = sha256(submission_id.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    rest = re.sub(r"[^A-Za-z0-9]+", "-", submission_id).strip("-")[:40].strip("-")
    return f"{rest or 'submission'}-{digest}.html"


def write(path: Path, text: str, *, private: bool = False) -> None:
    """Write the text (UTF-8) to `path`; see `open_atomic`."""
    write_bytes(path, encoded(text), private=private)


def write_bytes(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write the bytes to `path`; see `open_atomic`."""
    with open_atomic(path, private=private) as file:
        file.write(data)


@contextmanager
def open_atomic(path: Path, *, private: bool = False) -> Iterator[BinaryIO]:
    """A file to be written piece by piece, put at `path` once all of it is written: a reader finds
    the old file or the new one, never a part. Missing folders are made. With `private` only its
    owner can read it. Raises OSError, naming `path`, if the folder cannot be written or the disk
    is full; after any failure the old file stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # The process's number lets a later run recognise files that a killed one left behind.
    temporary = path.with_name(f".{os.urandom(6).hex()}.{os.getpid()}.tmp")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        descriptor = os.open(temporary, flags, _OWNER_ONLY if private else 0o666)
        with os.fdopen(descriptor, "wb") as file:
            yield file
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


_SAME_TIME = (1980, 1, 1, 0, 0, 0)
_FILE, _PROGRAM = 0o100644 << 16, 0o100755 << 16
_UNIX = 3


def zipped(files: Mapping[str, bytes | Path], programs: Collection[str] = ()) -> bytes:
    """Return an archive of these files, sorted by name and with one time; `programs` are
    executable.

    Content given as a path is read only when it is added, so that memory holds only the archive.
    Raise OSError if a file cannot be read.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in sorted(files):
            # A folder's name may be no text, as the bytes of another system are.
            member = zipfile.ZipInfo(encoded(name).decode(), _SAME_TIME)
            member.create_system = _UNIX
            member.external_attr = _PROGRAM if name in programs else _FILE
            member.compress_type = zipfile.ZIP_DEFLATED
            content = files[name]
            if isinstance(content, Path):
                content = content.read_bytes()
            archive.writestr(member, content)
    return stream.getvalue()


@functools.cache
def source_digest(
    *paths: str, suffixes: tuple[str, ...] = (".py",), leave_out: frozenset[str] = frozenset()
) -> str:
    """Return the SHA-256, in hex, of the names and bytes of all files with these suffixes at or
    below `paths`.

    `paths` and `leave_out` are relative to the package `harness`: `execution`, `model/values.py`.
    The package may be in an archive. Raise FileNotFoundError for a path that does not exist.
    """

    def is_wanted(entry: Traversable) -> bool:
        return entry.is_dir() or entry.name.endswith(suffixes)

    package = resources.files("harness")
    digest = sha256()
    for path in paths:
        for name, data in sorted(files_below(package.joinpath(path), path, is_wanted)):
            if name not in leave_out:
                digest.update(f"{name}\0{len(data)}\0".encode())
                digest.update(data)
    return digest.hexdigest()


def files_below(
    entry: Traversable, path: str, is_wanted: Callable[[Traversable], bool]
) -> Iterator[tuple[str, bytes]]:
    """Yield the paths and bytes of the files at or below an entry of a package, without unwanted
    ones."""
    if entry.is_dir():
        for below in entry.iterdir():
            if is_wanted(below):
                yield from files_below(below, f"{path}/{below.name}", is_wanted)
    else:
        yield path, entry.read_bytes()
