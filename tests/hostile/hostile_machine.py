"""The tiers that this machine has, and what a run did to it: processes left, peak memory and CPU
time of this process; the memory of another one while it runs a submission, as root sees it."""

import ctypes
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.execution import tier_layers
from harness.execution.confinement import Confinement
from harness.model.observation import Tier

_PR_SET_DUMPABLE, _PR_GET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 3, 36
_prctl = ctypes.CDLL(None, use_errno=True).prctl


def tiers_here() -> tuple[Tier, ...]:
    """Best last; portable is everywhere."""
    order = (Tier.PORTABLE, Tier.STANDARD, Tier.STRONG)
    return tuple(tier for tier in order if not Confinement(tier_layers(tier)).unavailable())


EVERY_TIER = [
    "best",
    *(pytest.param(tier, marks=pytest.mark.release) for tier in (Tier.STANDARD, Tier.PORTABLE)),
]
"""For the fixture `tier`: the best one here, and with `make test-all` the others."""


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """Whatever gets away from our servers comes to this process, where it is counted."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        _prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def below(pid: int) -> frozenset[int]:
    """All living processes below one, zombies left out."""
    found: set[int] = set()
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            pids = [int(each) for each in children.read_text("ascii").split()]
        except OSError:
            continue
        for each in pids:
            if state(each) not in ("Z", "X", ""):
                found.add(each)
            found |= below(each)
    return frozenset(found)


def lasting(before: frozenset[int]) -> frozenset[int]:
    """The processes below this one that were not there before and that nobody is killing."""
    while True:
        found = below(os.getpid()) - before
        if all(_rests(pid) for pid in found):
            return found


def _rests(pid: int) -> bool:
    """Whether it sleeps, with no SIGKILL on its way: neither yet to fall asleep nor to die."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("utf-8", "replace")
    except OSError:
        return False
    pending = re.findall(r"^(?:SigPnd|ShdPnd):\s+([0-9a-f]+)$", status, re.M)
    killed = any(int(mask, 16) >> (signal.SIGKILL - 1) & 1 for mask in pending)
    return not killed and state(pid) == "S"


def end(pids: frozenset[int]) -> None:
    """Kill what a deliberately weakened run left, and reap it."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            continue


def state(pid: int) -> str:
    """The letter of its state; empty when there is none of that number."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(") ")[2][:1]
    except OSError:
        return ""


class Meter:
    """From its making: how much this process's peak memory grew (MiB), and its CPU time (s)."""

    def __init__(self) -> None:
        _reset_peak()
        self._memory = _status("VmRSS")
        self._cpu = time.process_time()

    def memory_mib(self) -> float:
        return max(0, _status("VmHWM") - self._memory) / 1024

    def cpu_seconds(self) -> float:
        return time.process_time() - self._cpu


def _status(field: str) -> int:
    text = Path("/proc/self/status").read_text("ascii")
    return int(re.search(rf"^{field}:\s+(\d+) kB$", text, re.M)[1])


def _reset_peak() -> None:
    # A process that keeps others out of its memory does not own its own files under /proc.
    dumpable = _prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0)
    _prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
    Path("/proc/self/clear_refs").write_text("5", "ascii")
    _prctl(_PR_SET_DUMPABLE, dumpable, 0, 0, 0)


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


def in_memory(pid: int, text: str) -> bool:
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
