"""A class in which some programs are slow: when the others have their marks, and what is foretold.

    python -m benchmarks.slow_class [--size 200] [--slow 0.05] [--jobs 2] [--small] [--times]

The samples of connect4ish are repeated, each time with another comment; with `--small`, programs of
an assignment with sixteen calls. Slow ones burn nearly all that a scenario may take. Prints when
95 % of the marks were there and when all were, and what was foretold of the end beside the truth.
Then the class is graded without the slow ones, beside busy processes, and with the machine's speed
taken for a third and for three times of what it is: each time all files are compared.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from benchmarks.slow_programs import OTHERS, RIGHT, lay_assignment
from harness import grade, load_assignment
from harness.execution.speed import VARIABLE, machine_slowness
from harness.model.result import Event, SlowLeft, SubmissionGraded, SubmissionStatus

ROOT = Path(__file__).resolve().parents[1]
_SMALL_BURN = (
    "\n_real = double\ndef double(*arguments):\n"
    "    count = 0\n    while count < 10_000_000: count += 1\n    return _real(*arguments)\n"
)
_BURN = (
    "\n_real = check_win\ndef check_win(*arguments):\n"
    "    count = 0\n    while count < 6_000_000: count += 1\n    return _real(*arguments)\n"
)
_BUSY = [sys.executable, "-c", "while True: pass"]
# Two runs may differ in these, wherever they stand.
_TIMES = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+\d:]*")
_SLOWNESS = re.compile(rb'"slowness": [\d.]+|; CPU time times [\d.]+, as measured on this machine')
_OUR_OWN = (".sqlite", ".lock")


@dataclass(frozen=True, slots=True)
class Programs:
    """What a class hands in: `others`, in turn, and beside them slow ones, which are `slow`."""

    root: Path
    assignment: str
    slow: str
    others: tuple[str, ...]

    def lay(self, folder: Path, names: Sequence[str], slow: int) -> None:
        """Write the class: the first `slow` are slow, the others repeat with a comment."""
        for at, name in enumerate(names):
            number = int(name[1:])
            text = self.slow if at < slow else self.others[number % len(self.others)]
            path = folder / name / "a1.py"
            path.parent.mkdir(parents=True)
            path.write_text(f"{text}\n# {number}\n", "utf-8")


def _small(folder: Path) -> Programs:
    lay_assignment(folder, 16)
    return Programs(folder, "slow", RIGHT + _SMALL_BURN, OTHERS)


def _connect4ish() -> Programs:
    right = (ROOT / "reference" / "connect4ish" / "a1.py").read_text("utf-8")
    samples = sorted((ROOT / "submissions" / "connect4ish").glob("*/a1.py"))
    texts = tuple(path.read_text("utf-8") for path in samples)
    return Programs(ROOT, "connect4ish", right + _BURN, texts)


@dataclass(slots=True)
class Watched:
    """What happened while a class was graded, in seconds from the start."""

    begun: float = field(default_factory=time.monotonic)
    graded: list[float] = field(default_factory=list)
    foretold: list[tuple[float, SlowLeft]] = field(default_factory=list)

    def hear(self, event: Event) -> None:
        now = time.monotonic() - self.begun
        if isinstance(event, SubmissionGraded):
            self.graded.append(now)
        elif isinstance(event, SlowLeft):
            self.foretold.append((now, event))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=200)
    parser.add_argument("--slow", type=float, default=0.05, help="the part that is slow")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--busy", type=int, default=4, help="processes beside one of the runs")
    parser.add_argument("--total-seconds", type=float, default=None)
    parser.add_argument("--times", action="store_true", help="only the first run")
    parser.add_argument("--small", action="store_true", help="the small assignment")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        programs = _small(root) if asked.small else _connect4ish()
        _measure(root, programs, asked)


def _measure(root: Path, programs: Programs, asked: argparse.Namespace) -> None:
    slow = max(1, round(asked.size * asked.slow))
    names = [f"s{number:04}" for number in range(asked.size)]
    programs.lay(root / "class", names, slow)
    programs.lay(root / "quick", names[slow:], 0)
    watched, whole = _graded(root, "class", programs, asked)
    _print_times(watched, asked.size, slow)
    if asked.times:
        return
    began = time.monotonic()
    _, quick = _graded(root, "quick", programs, asked)
    print(f"without the slow ones the class took {time.monotonic() - began:.1f} s", flush=True)
    pages = {name: digest for name, digest in whole.items() if Path(name).stem in names[slow:]}
    _print_same("their pages without the slow ones", pages, quick)
    with _busy(asked.busy):
        _, other = _graded(root, "quick", programs, asked)
    _print_same(f"all files beside {asked.busy} busy processes", quick, other)
    speed = machine_slowness()
    for times in (1 / 3, 3):
        with _speed(speed * times):
            _, other = _graded(root, "quick", programs, asked)
        _print_same(f"all files with a speed {times:.2g} times as slow", quick, other)


def _graded(
    root: Path, name: str, programs: Programs, asked: argparse.Namespace
) -> tuple[Watched, Mapping[str, str]]:
    """Grade a class anew; also a digest of each file that was written, but for times."""
    watched = Watched()
    out = root / f"out-{name}"
    run = grade(
        load_assignment(programs.root, programs.assignment),
        [root / name],
        out,
        jobs=asked.jobs,
        fresh=True,
        total_seconds=asked.total_seconds,
        listener=watched.hear,
    )
    watched.graded.append(time.monotonic() - watched.begun)
    held = [one.id for one in run.submissions if one.status is not SubmissionStatus.GRADED]
    print(f"{name}: {len(held)} are held or not graded", flush=True)
    return watched, dict(_digests(out))


def _digests(out: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(out.rglob("*")):
        if path.is_file() and path.suffix not in _OUR_OWN:
            data = _SLOWNESS.sub(b"", _TIMES.sub(b"", path.read_bytes()))
            yield str(path.relative_to(out)), sha256(data).hexdigest()


@contextmanager
def _busy(count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(count):
            stack.callback(subprocess.Popen(_BUSY).kill)
        yield


@contextmanager
def _speed(slowness: float) -> Iterator[None]:
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(slowness)
    try:
        yield
    finally:
        del os.environ[VARIABLE]
        if before is not None:
            os.environ[VARIABLE] = before


def _print_times(watched: Watched, size: int, slow: int) -> None:
    *graded, end = watched.graded
    others = graded[size - slow - 1]
    print(f"{size - slow} of {size} marks after {others:.1f} s, all after {graded[-1]:.1f} s,")
    print(f"pages after {end:.1f} s. Only the slow ones were left for {end - others:.1f} s.")
    for at, left in watched.foretold:
        if at < others:
            continue
        real = graded[-1] - at
        most = "no bound" if left.most_seconds is None else f"{left.most_seconds:.1f} at most"
        factor = real / left.seconds if left.seconds else 0.0
        print(f"at {at:.1f} s foretold {left.seconds:.1f} ({most}), took {real:.1f}: {factor:.2f}")
    sys.stdout.flush()


def _print_same(what: str, one: Mapping[str, str], other: Mapping[str, str]) -> None:
    both = one.keys() & other.keys()
    differ = sorted(name for name in both if one[name] != other[name])
    print(f"{what}: {len(both) - len(differ)} of {len(both)} the same {differ[:9]}", flush=True)


if __name__ == "__main__":
    main()
