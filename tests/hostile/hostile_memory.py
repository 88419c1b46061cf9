"""The memory of another process, as its owner or root sees it, while it runs a submission."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.hostile.hostile_machine import below

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root reads another's memory")


def held_by(pid: int, texts: Iterable[str]) -> list[str]:
    """Those of these texts of ASCII that stand anywhere in the process's memory, also reversed. It
    is read without its NULs: so a text looks the same with one, two or four bytes a character.
    Raises PermissionError."""
    spellings = {text: (text.encode("ascii"), text[::-1].encode("ascii")) for text in texts}
    found: set[str] = set()
    for data in _mappings(pid):
        shown = data.translate(None, b"\0")
        found |= {text for text, ways in spellings.items() if any(way in shown for way in ways)}
    return sorted(found)


def holds(pid: int, text: str) -> bool:
    """Whether the text of ASCII stands in the process's memory, as strings of Python's hold it;
    False where it has just ended."""
    try:
        return any(text.encode("ascii") in data for data in _mappings(pid))
    except OSError:
        return False


def _mappings(pid: int) -> Iterator[bytes]:
    with (
        Path(f"/proc/{pid}/maps").open(encoding="ascii", errors="replace") as maps,
        Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory,
    ):
        for line in maps:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            try:
                memory.seek(start)
                yield memory.read(end - start)
            except (OSError, OverflowError, ValueError):  # what the kernel maps for itself
                continue


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
