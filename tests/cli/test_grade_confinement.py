"""Confinement that breaks in the middle of a batch: tried again, and never a mark of 0."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path

import pexpect
from test_grade_interrupted import expected, started, temporary, unhurried, workers
from tiny_course import HARNESS, Course, environment, results

__all__ = ["expected", "unhurried"]  # fixtures


def children(process: int) -> list[int]:
    """A process's children; none when it is gone."""
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text("ascii")
    except OSError:
        return []
    return [int(pid) for pid in text.split()]


def test_what_confines_dies_and_the_submission_is_graded_again(
    unhurried: Course, expected: dict[str, object], tmp_path: Path
) -> None:
    run = started(unhurried, tmp_path)
    (worker,) = workers(run.pid)
    confining = children(worker)
    assert len(confining) == 1
    os.kill(confining[0], signal.SIGKILL)
    run.expect(pexpect.EOF)
    run.close()
    assert run.exitstatus == 0, run.before
    assert results(tmp_path) == expected
    assert list(temporary(tmp_path).iterdir()) == []


def test_a_submission_that_cannot_be_confined_gets_no_mark(
    unhurried: Course, tmp_path: Path
) -> None:
    run = subprocess.Popen(
        [HARNESS, "grade", "class/s0", "--out", tmp_path],
        cwd=unhurried.root,
        env=environment(TMPDIR=str(temporary(tmp_path))),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    killed = 0
    while run.poll() is None:
        for worker in workers(run.pid):
            for confining in children(worker):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(confining, signal.SIGKILL)
                    killed += 1
    _, complaint = run.communicate()
    assert run.returncode == 3, complaint
    assert killed >= 2
    assert "s0: could not be graded: " in complaint
    (entry,) = results(tmp_path)["submissions"]
    assert (entry["status"], entry["mark"]) == ("harness_error", None)
    assert list(temporary(tmp_path).iterdir()) == []
    again = unhurried.run("grade", "class/s0", "--out", tmp_path)
    assert again.status == 0, again.err
    assert results(tmp_path)["submissions"][0]["mark"] == 6.0
