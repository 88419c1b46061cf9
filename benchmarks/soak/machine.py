"""What is on this machine because of us: processes, memory, and things left behind."""

from __future__ import annotations

import ctypes
import itertools
import os
import resource
import threading
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_SET_CHILD_SUBREAPER = 36
_PATIENCE = 60.0
_PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue")
_TABLES = ("/proc/sysvipc/shm", "/proc/sysvipc/msg", "/proc/sysvipc/sem")
_MOUNT_POINT = Path("/mnt")
_PAGE = resource.getpagesize()
_MIB = 1024 * 1024
_TOGETHER_EVERY = 20  # samples: the kernel walks the memory of each process for it


def adopt_orphans() -> None:
    """Whatever outlives its parent below us becomes our child, wherever it hides."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot become the parent of orphans")


def below(pid: int) -> set[int]:
    """All processes below one, the dead that nobody has asked about left out."""
    found: set[int] = set()
    tasks: list[Path] = []
    with suppress(OSError):  # it, or one of its threads, ends while we look
        tasks += Path(f"/proc/{pid}/task").iterdir()
    for task in tasks:
        children: list[int] = []
        with suppress(OSError):
            children += map(int, (task / "children").read_text("ascii").split())
        for child in children:
            if _state(child) not in ("Z", "X", ""):
                found.add(child)
            found |= below(child)
    return found


def wait_for_orphans() -> int:
    """Wait until all that came to us has ended by itself; how many there were. AssertionError
    when one does not: nothing here ends it."""
    deadline = time.monotonic() + _PATIENCE
    gone = 0
    while time.monotonic() < deadline:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return gone
        if pid:
            gone += 1
        else:
            time.sleep(0.002)
    raise AssertionError(f"still alive after {_PATIENCE:.0f} s: {sorted(below(os.getpid()))}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """What programs might leave on a machine, as sets of lines."""

    mounts: frozenset[str]
    files: frozenset[str]
    shared: frozenset[str]

    @classmethod
    def now(cls) -> Traces:
        """As things are."""
        mounts = Path("/proc/self/mountinfo").read_text("utf-8", "replace").splitlines()
        shared = [row for table in _TABLES for row in _rows(Path(table))]
        return cls(mounts=frozenset(mounts), files=frozenset(_files()), shared=frozenset(shared))

    def new_since(self, before: Traces, token: str, *places: Path) -> list[str]:
        """What came since: shared memory, files with `token` in their names, and mounts below
        `places` or where the corpus tries (others may use this machine meanwhile)."""
        files = [name for name in self.files - before.files if token in name]
        below = tuple(str(place) for place in (*places, _MOUNT_POINT))
        mounts = [line for line in self.mounts - before.mounts if line.split()[4].startswith(below)]
        return sorted([*mounts, *(self.shared - before.shared), *files])


@dataclass(slots=True)
class MemorySamples:
    """Samples the resident memory of a process and of what is below it, until told to stop.

    `peaks`: MiB at most by name, also between samples; of what workers start, the largest;
    `together`: of all at once, what they share counted once, every so many samples.
    """

    pid: int
    every: float = 0.1
    samples: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    peaks: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    _stop: threading.Event = field(init=False)
    _thread: threading.Thread = field(init=False)

    def stop(self) -> None:
        """No more samples."""
        self._stop.set()
        self._thread.join()

    def quarters(self, start: float, end: float) -> dict[str, tuple[float, float]]:
        """MiB by name, the median of the first and of the last quarter between two moments."""
        found: dict[str, tuple[float, float]] = {}
        quarter = (end - start) / 4
        for name, samples in self.samples.items():
            first = [mib for when, mib in samples if start <= when < start + quarter]
            last = [mib for when, mib in samples if end - quarter <= when < end]
            if first and last:
                found[name] = (_median(first), _median(last))
        return found

    def _watch(self) -> None:
        for number in itertools.count():
            if self._stop.wait(self.every):
                break
            now = time.monotonic()
            self._take("the run", self.pid, now)
            if number % _TOGETHER_EVERY == 0:
                all_at_once = sum(map(_share, (self.pid, *below(self.pid))))
                self.peaks["together"] = max(self.peaks.get("together", 0.0), all_at_once)
            forking = [pid for pid in _children(self.pid) if b"processes.serve" in _command(pid)]
            for worker in (worker for server in forking for worker in _children(server)):
                self._take(f"worker {worker}", worker, now)
                for below_worker in below(worker):
                    self._take_peak("servers and programs", below_worker)

    def _take(self, name: str, pid: int, now: float) -> None:
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
        except (OSError, IndexError):
            return
        self.samples[name].append((now, pages * _PAGE / _MIB))
        self._take_peak(name, pid)

    def _take_peak(self, name: str, pid: int) -> None:
        try:
            status = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
        except OSError:
            return
        kib = next((int(row.split()[1]) for row in status.splitlines() if row[:6] == "VmHWM:"), 0)
        self.peaks[name] = max(self.peaks.get(name, 0.0), kib / 1024)


def _share(pid: int) -> float:
    """MiB of this process: a page that several have counts for each by its part."""
    try:
        rows = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii", "replace").splitlines()
    except OSError:
        return 0.0
    return next((int(row.split()[1]) for row in rows if row.startswith("Pss:")), 0) / 1024


def cpu_of_all() -> float:
    """CPU seconds of this process, of all its children that have ended, and of theirs."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def _files() -> list[str]:
    found: list[str] = []
    for place in (*map(Path, _PLACES), Path.home()):
        try:
            found += [str(path) for path in place.iterdir()]
        except OSError:
            continue
    return found


def _rows(table: Path) -> list[str]:
    """The rows of a table of the kernel's without what changes by itself: key and id."""
    try:
        lines = table.read_text("ascii").splitlines()[1:]
    except OSError:
        return []
    return [f"{table.name} {' '.join(line.split()[:2])}" for line in lines]


def _children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    except OSError:
        return []
    return [int(each) for each in text.split()]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(") ")[2][:1]
    except OSError:
        return ""
