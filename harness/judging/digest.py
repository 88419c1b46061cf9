"""A digest of the code that a verdict follows from; part of every stored verdict's key."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable


def _sources(folder: Traversable, path: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        name = path + entry.name
        if entry.is_dir():
            yield from _sources(entry, f"{name}/")
        elif name.endswith(".py"):
            yield name, entry.read_bytes()


def _digest() -> str:
    digest = sha256()
    for package in ("judging", "matchers"):
        for name, data in sorted(_sources(resources.files("harness").joinpath(package))):
            digest.update(f"{package}/{name}\0{len(data)}\0".encode())
            digest.update(data)
    return digest.hexdigest()


JUDGING_DIGEST = _digest()
