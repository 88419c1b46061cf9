"""A digest of this room's source, so that stored observations know what made them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
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
    seen = hashlib.sha256()
    for name, data in sorted(_sources(resources.files("harness.execution"))):
        seen.update(f"{name} {len(data)}\n".encode())
        seen.update(data)
    return seen.hexdigest()


EXECUTION_DIGEST = _digest()
