"""By what pages were made: a digest of every source that a page's text comes from."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from hashlib import sha256
from importlib import metadata, resources
from importlib.resources.abc import Traversable

_PACKAGES = ("harness.model", "harness.reporting", "harness.results")
_SUFFIXES = (".py", ".j2", ".css", ".js")


@functools.cache
def reporting_digest() -> str:
    """Hex SHA-256 of the packages' sources and templates and of the template engine's version."""
    digest = sha256()
    for package in ("jinja2", "markupsafe"):
        digest.update(f"{package} {metadata.version(package)}\0".encode())
    for name in _PACKAGES:
        for path, data in sorted(_sources(resources.files(name), f"{name}/")):
            digest.update(f"{path}\0{len(data)}\0".encode())
            digest.update(data)
    return digest.hexdigest()


def _sources(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        name = path + entry.name
        if entry.is_dir():
            yield from _sources(entry, f"{name}/")
        elif name.endswith(_SUFFIXES):
            yield name, entry.read_bytes()
