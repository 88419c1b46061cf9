"""The memory of another process, as its owner or root sees it."""

from __future__ import annotations

from pathlib import Path


def spellings(text: str) -> tuple[bytes, ...]:
    """A text as any string of Python's may hold it, and reversed."""
    return tuple(
        data
        for way in (text, text[::-1])
        for data in (way.encode(), way.encode("utf-16-le"), way.encode("utf-32-le"))
    )


def held_by(pid: int, texts: tuple[bytes, ...]) -> list[bytes]:
    """Those of the texts that stand anywhere in the process's memory. Raises PermissionError."""
    found: set[bytes] = set()
    with (
        Path(f"/proc/{pid}/maps").open(encoding="ascii", errors="replace") as maps,
        Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory,
    ):
        for line in maps:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            try:
                memory.seek(start)
                data = memory.read(end - start)
            except (OSError, OverflowError, ValueError):  # what the kernel maps for itself
                continue
            found.update(text for text in texts if text in data)
    return sorted(found)
