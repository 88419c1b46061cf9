"""The memory of another process, as its owner or root sees it, while it runs a submission."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.hostile.hostile_machine import below

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root reads another's memory")


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


def holds(pid: int, text: str) -> bool:
    """Whether a text of ASCII stands in the process's memory as a string of Python's holds it;
    False where it has just ended."""
    try:
        return bool(held_by(pid, (text.encode("ascii"),)))
    except OSError:
        return False


@contextmanager
def at_work(
    work: Callable[[Callable[[], None]], None], runs: Callable[[int], bool]
) -> Iterator[tuple[int, frozenset[int]]]:
    """The process below us that `runs` the submission's code, and all that came with it, while
    `work` waits for it. `work` says when it has begun to: until then processes are made of our
    own, with all that it holds. Whatever runs the code is killed in the end."""
    before = below(os.getpid())
    begun = threading.Event()

    def runner() -> int:
        return next((pid for pid in below(os.getpid()) - before if runs(pid)), 0)

    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(work, begun.set)
        while not begun.is_set() and wait([working], 0.02).not_done:
            pass
        found = 0
        while not found and wait([working], 0.02).not_done:
            found = runner()
        try:
            assert found
            yield found, below(os.getpid()) - before
        finally:
            while wait([working], 0.02).not_done:
                if left := runner():
                    os.kill(left, signal.SIGKILL)
        working.result()
