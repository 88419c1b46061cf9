"""A class of thousands: what its reports take, without running thousands of programs.

A few samples of connect4ish are graded once; their results, under new names, fill a store, and the
reports are written from it by a process of its own, whose peak of memory is the kernel's count.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import harness
from harness.model.result import RunFacts, SubmissionResult
from harness.reporting.writing import write_reports
from harness.results.database import STORE_NAME
from harness.results.store import Store

ROOT = Path(__file__).parents[1]
SAMPLES = (
    "perfect",
    "off_by_one_column",
    "hard_coded_8",
    "missing_function",
    "one_diagonal_missed",
    "extra_import",
)
SIZES = (50, 500, 5000)
FILES = (("results.json", "results.json"), ("class page", "index.html"), ("pages", "*/*.html"))


def graded(folder: Path) -> Path:
    """The samples' results, graded into `folder`."""
    course = harness.load_assignment(ROOT, "connect4ish")
    samples = [ROOT / "submissions" / "connect4ish" / name for name in SAMPLES]
    harness.grade(course, samples, folder)
    return folder


def fill(samples: Path, folder: Path, count: int) -> Path:
    """A finished run of `count` submissions, whose results are those of `samples` in turn, each
    with a remark of its own."""
    with Store.read_only(samples / STORE_NAME) as source:
        run, plan = source.run(), source.plan()
        facts, some = run.facts, tuple(run.submissions)
    with Store.open(folder / STORE_NAME) as store:
        store.begin(facts, plan)
        for number in range(count):
            store.save(_student(some[number % len(some)], number))
        store.finish(facts)
    return folder


def report(folder: Path) -> RunFacts:
    """Write all reports of the run in `folder`, as `harness grade` does at its end."""
    with Store.read_only(folder / STORE_NAME) as store:
        run, plan = store.run(), store.plan()
    write_reports(run, plan, folder)
    return run.facts


def peak_mib() -> float:
    """The most memory that this process ever had, in MiB."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (line,) = [line for line in lines if line.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024


def _student(result: SubmissionResult, number: int) -> SubmissionResult:
    return replace(result, id=f"s{number:05}", notes=(*result.notes, f"student {number}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The most memory of a process and its CPU time."""

    peak_mib: float
    cpu_seconds: float


def measured(folder: Path) -> Measured:
    """What `report` takes in a process of its own."""
    code = (
        "import sys, time; from pathlib import Path; from benchmarks import large_class as it; "
        "it.report(Path(sys.argv[1])); print(it.peak_mib(), time.process_time())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    peak, cpu = map(float, done.stdout.split())
    return Measured(peak_mib=peak, cpu_seconds=cpu)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--samples", type=Path, help="a run of samples that is graded already")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        samples = options.samples or graded(Path(temporary) / "samples")
        for size in options.sizes:
            folder = fill(samples, Path(temporary) / str(size), size)
            for what in ("written", "again, nothing changed"):
                started = time.monotonic()
                found = measured(folder)
                seconds = time.monotonic() - started
                sizes = ", ".join(f"{name} {_mib(folder, pattern)} MiB" for name, pattern in FILES)
                print(
                    f"{size} submissions, {what}: peak {found.peak_mib:.0f} MiB, "
                    f"CPU {found.cpu_seconds:.1f} s, wall {seconds:.0f} s, {sizes}",
                    flush=True,
                )


def _mib(folder: Path, pattern: str) -> str:
    return f"{sum(path.stat().st_size for path in folder.glob(pattern)) / 2**20:.2f}"


if __name__ == "__main__":
    main()
