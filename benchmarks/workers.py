"""Part of `make bench`: one batch with one worker and with two, every mark asserted.

The submissions are the reference of `connect4ish` with a comment each, so that none is known
from another. What the command takes to start and to write its reports is part of both.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.workload import REFERENCE


def main() -> None:
    """Measure and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--submissions", type=int, default=8)
    options = parser.parse_args()
    seconds: dict[int, list[float]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory() as folder:
        handed_in = Path(folder) / "class"
        for number in range(options.submissions):
            place = handed_in / f"s{number:03}"
            place.mkdir(parents=True)
            text = (REFERENCE / "a1.py").read_text("utf-8")
            (place / "a1.py").write_text(f"{text}\n# {number}\n", "utf-8")
        _grade(handed_in, Path(folder) / "first", 2)  # the answer key is computed and kept
        for turn in range(options.rounds):
            for jobs, taken in seconds.items():
                taken.append(_grade(handed_in, Path(folder) / f"{jobs}-{turn}", jobs))
    one, two = (statistics.median(seconds[jobs]) for jobs in (1, 2))
    ratio = statistics.median(a / b for a, b in zip(seconds[1], seconds[2], strict=True))
    print(f"{options.submissions} submissions of connect4ish, medians of {options.rounds} rounds:")
    print(f"one worker {one:.1f} s, two workers {two:.1f} s: {ratio:.2f} times as fast.")


def _grade(handed_in: Path, out: Path, jobs: int) -> float:
    command = [sys.executable, "-c", "from harness.cli import main; main()", "grade"]
    command += [str(handed_in), "--assignment", "connect4ish", "--out", str(out)]
    started = time.perf_counter()
    subprocess.run([*command, "--jobs", str(jobs)], check=True, capture_output=True)
    seconds = time.perf_counter() - started
    for submission in json.loads((out / "results.json").read_text("utf-8"))["submissions"]:
        assert submission["mark"] == submission["out_of"], submission["id"]
    return seconds


if __name__ == "__main__":
    main()
