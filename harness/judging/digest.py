"""A digest of the code that a verdict and its words follow from; part of a stored verdict's key."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from importlib import resources
from importlib.resources.abc import Traversable

_PATHS = ("common/escaping.py", "judging", "matchers", "model/values.py")


def _sources(entry: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    """The Python files of a folder, or the one file, by their paths."""
    if entry.is_dir():
        for each in entry.iterdir():
            yield from _sources(each, f"{path}/{each.name}")
    elif path.endswith(".py"):
        yield path, entry.read_bytes()


def _digest() -> str:
    digest = sha256()
    root = resources.files("harness")
    for path in _PATHS:
        for name, data in sorted(_sources(root.joinpath(path), path)):
            digest.update(f"{name}\0{len(data)}\0".encode())
            digest.update(data)
    return digest.hexdigest()


JUDGING_DIGEST = _digest()
