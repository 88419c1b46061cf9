"""A class in which some programs are slow: when the others have their marks, and what is foretold.

    python -m benchmarks.slow_class [--size 200] [--slow 0.05] [--jobs 2]

The samples of connect4ish are repeated, each time with another comment. Slow ones burn nearly all
that a scenario may take. Prints when 95 % of the marks were there and when all were, what was
foretold of the end beside what it took, and whether verdicts are the same bytes as without the slow
ones, and with the machine's speed taken for a third and for three times of what it is.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from harness import grade, load_assignment
from harness.common import serial
from harness.execution.speed import VARIABLE, machine_slowness
from harness.model.result import Event, SlowLeft, SubmissionGraded, SubmissionResult

ROOT = Path(__file__).resolve().parents[1]
_ASSIGNMENT = "connect4ish"
_BURN = (
    b"\n_real = check_win\ndef check_win(*arguments):\n"
    b"    count = 0\n    while count < 6_000_000: count += 1\n    return _real(*arguments)\n"
)


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
    parser.add_argument("--total-seconds", type=float, default=None)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        slow = max(1, round(asked.size * asked.slow))
        names = [f"s{number:04}" for number in range(asked.size)]
        _lay(root / "class", names, slow)
        _lay(root / "quick", names[slow:], 0)
        watched, verdicts = _graded(root, "class", asked)
        _print_times(watched, asked.size, slow)
        _, quick = _graded(root, "quick", asked)
        _print_same("without the slow ones", verdicts, quick)
        speed = machine_slowness()
        for times in (1 / 3, 3):
            with _speed(speed * times):
                _, other = _graded(root, "quick", asked)
            _print_same(f"with a speed {times:.2g} times as slow", quick, other)


def _lay(folder: Path, names: list[str], slow: int) -> None:
    """Write the class: the first `slow` are slow, the others samples with comments."""
    samples = sorted((ROOT / "submissions" / _ASSIGNMENT).glob("*/a1.py"))
    right = (ROOT / "reference" / _ASSIGNMENT / "a1.py").read_bytes()
    for at, name in enumerate(names):
        number = int(name[1:])
        text = right + _BURN if at < slow else samples[number % len(samples)].read_bytes()
        path = folder / name / "a1.py"
        path.parent.mkdir(parents=True)
        path.write_bytes(text + b"\n# %d\n" % number)


def _graded(root: Path, name: str, asked: argparse.Namespace) -> tuple[Watched, Mapping[str, str]]:
    """Grade a class anew; also a digest of each submission's verdicts and mark."""
    watched = Watched()
    run = grade(
        load_assignment(ROOT, _ASSIGNMENT),
        [root / name],
        root / f"out-{name}",
        jobs=asked.jobs,
        fresh=True,
        total_seconds=asked.total_seconds,
        listener=watched.hear,
    )
    watched.graded.append(time.monotonic() - watched.begun)
    return watched, {result.id: _digest(result) for result in run.submissions}


def _digest(result: SubmissionResult) -> str:
    parts = [serial.dumps(entry.verdict.kind) + entry.scenario_id for entry in result.scenarios]
    return sha256("\n".join([str(result.mark), *parts]).encode()).hexdigest()


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
        print(f"at {at:.1f} s foretold {left.seconds:.1f} ({most}), took {real:.1f}", flush=True)


def _print_same(what: str, one: Mapping[str, str], other: Mapping[str, str]) -> None:
    both = one.keys() & other.keys()
    differ = sorted(name for name in both if one[name] != other[name])
    print(f"{what}: {len(both) - len(differ)} of {len(both)} the same {differ[:9]}", flush=True)


if __name__ == "__main__":
    main()
