"""Digests of the harness's own sources: what is stored names the code that made it."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable


@functools.cache
def source_digest(
    *paths: str, suffixes: tuple[str, ...] = (".py",), leave_out: frozenset[str] = frozenset()
) -> str:
    """Hex SHA-256 of the names and bytes of all files with these suffixes at or below `paths`.

    `paths` and `leave_out` are relative to the package `harness`: `execution`, `model/values.py`.
    The package may be in an archive. Raises FileNotFoundError for a path that does not exist.
    """
    package = resources.files("harness")
    digest = sha256()
    for path in paths:
        for name, data in sorted(_files(package.joinpath(path), path, suffixes)):
            if name not in leave_out:
                digest.update(f"{name}\0{len(data)}\0".encode())
                digest.update(data)
    return digest.hexdigest()


def _files(entry: Traversable, path: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    if entry.is_dir():
        for below in entry.iterdir():
            if below.is_dir() or below.name.endswith(suffixes):
                yield from _files(below, f"{path}/{below.name}", suffixes)
    else:
        yield path, entry.read_bytes()
