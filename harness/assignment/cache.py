"""Compiled specifications, kept by the content of all that they were compiled from."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from harness.model.serial import SerialError, dumps, loads
from harness.model.specification import Specification

CACHE = ".harness-cache"
_ROOMS = ("assignment", "model")


class Cache:
    """One assignment's entry. The first line of its file is the digest of what it came from."""

    def __init__(self, root: Path, assignment_id: str, folder: Path, support: Path | None) -> None:
        suffix = ".support" if support else ""
        self.path = root / CACHE / f"{assignment_id}{suffix}.json"
        self.folder = folder
        self.sources = [folder, root / "reference" / assignment_id, *([support] if support else [])]
        self.key = ""

    def read(self) -> Specification | None:
        """The kept specification; None if there is none or something has changed."""
        self.key = self._content()
        try:
            data = self.path.read_bytes()
            key, _, text = data.partition(b"\n")
            if key.decode("ascii") != self.key:
                return None
            with _without_collector():
                kept = loads(Specification, text)
        except (OSError, UnicodeDecodeError, SerialError):
            return None
        return replace(kept, folder=str(self.folder))

    def write(self, specification: Specification) -> None:
        """Keep it, unless the spec changed meanwhile; silently not where nothing can be written."""
        if self.key != self._content():
            return
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.path.parent, suffix=".tmp")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(f"{self.key}\n{dumps(specification)}".encode())
                Path(name).replace(self.path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise

    def _content(self) -> str:
        whole = hashlib.sha256(f"{sys.version_info[:3]}".encode())
        here = Path(__file__).parent.parent
        for number, folder in enumerate([*(here / room for room in _ROOMS), *self.sources]):
            for name, path in _files(folder):
                try:
                    data = path.read_bytes()
                except OSError as error:
                    data = str(error).encode()
                whole.update(f"{number} {len(name)} {len(data)} {name}\n".encode())
                whole.update(data)
        return whole.hexdigest()


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    # Tens of thousands of new values, none of them garbage: walking them costs half of the time.
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(name for name in names if not name.startswith(".")):
            path = Path(where) / name
            yield path.relative_to(folder).as_posix(), path
