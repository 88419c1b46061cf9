"""The same batch again and again beside busy processes: the same bytes, and the same limits."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.soak import course, runs

DEFAULT = "comp1005-a3"
BUSY = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(10 ** 6):
        pass
"""


def run(folder: Path, assignment: str, rounds: int, *, busy: int = 8, every: int = 1) -> None:
    """Grade the samples of a shipped assignment quietly and `rounds` times under load, then slow
    and endless programs under load; AssertionError where a byte or a verdict differs."""
    students = folder / "class"
    samples = sorted(path for path in (course.ROOT / "submissions" / assignment).iterdir())
    for path in samples[::every]:
        (students / path.name).mkdir(parents=True)
        for file in path.iterdir():
            if file.name != "expect.yaml" and file.is_file():
                (students / path.name / file.name).write_bytes(file.read_bytes())
    quiet = _graded(course.ROOT, folder / "quiet", students, "--assignment", assignment)
    print(f"{assignment}, {len(samples[::every])} samples: {quiet[2]:.0f} s quietly", flush=True)
    with busy_machine(busy):
        for number in range(rounds):
            out = folder / f"round-{number}"
            results, pages, seconds = _graded(
                course.ROOT, out, students, "--assignment", assignment
            )
            assert results == quiet[0], f"round {number}: another results.json"
            changed = sorted(name for name in quiet[1] if pages.get(name) != quiet[1][name])
            assert pages.keys() == quiet[1].keys() and not changed, f"round {number}: {changed}"
            print(f"round {number + 1} of {rounds}: {seconds:.0f} s, byte-identical", flush=True)
        slow_and_endless(folder / "limits")
    print(f"{rounds} rounds beside {busy} busy processes: results.json and all pages identical")


def slow_and_endless(folder: Path) -> None:
    """Programs that need 60 % of the CPU time there is pass, and endless ones do not."""
    course.lay(folder)
    programs = {
        "right": course.honest_program(),
        "slow": course.slow(0.6),
        "endless": course.endless(),
    }
    for name, program in programs.items():
        course.hand_in(folder / "class", name, program)
    runs.grade(folder, folder / "out", "class")
    verdicts = {name: runs.verdicts(folder / "out", name) for name in programs}
    assert verdicts["slow"] == verdicts["right"], verdicts["slow"]
    assert verdicts["right"].count("passed") == len(verdicts["right"]) - 1  # but for the secret
    assert set(verdicts["endless"]) == {"cpu_limit", "stopped_early"}, verdicts["endless"]
    print(
        f"slow: {verdicts['slow'].count('passed')} of {len(verdicts['slow'])} passed as the right"
    )
    print(f"program does; endless: none, {verdicts['endless'].count('cpu_limit')} CPU limits")


@contextmanager
def busy_machine(count: int) -> Iterator[None]:
    """So many processes that compute and do nothing else, each in a session of its own: a
    scheduler that shares by session then gives each as much as the whole batch."""
    busy = [
        subprocess.Popen([sys.executable, "-c", BUSY], start_new_session=True) for _ in range(count)
    ]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
        for process in busy:
            process.wait()


def _graded(root: Path, out: Path, *arguments: str | Path) -> tuple[bytes, dict[str, str], float]:
    started = time.monotonic()
    runs.grade(root, out, *arguments)
    return runs.timeless(out), runs.pages(out), time.monotonic() - started
