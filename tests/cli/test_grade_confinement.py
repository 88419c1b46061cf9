"""Confinement that breaks in the middle of a batch: tried again, and never a mark of 0."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.cli.conftest import CLASS
from tests.cli.test_grade_interrupted import command_line, started, temporary, workers
from tests.tiny_course import Course, results


def base_servers(worker: int) -> list[int]:
    """What confines a worker's submissions: its base server, or what is wrapped around that."""
    try:
        text = Path(f"/proc/{worker}/task/{worker}/children").read_text("ascii")
    except OSError:
        return []
    return [int(pid) for pid in text.split() if b"package.base.serve" in command_line(int(pid))]


def test_what_confines_dies_and_the_submission_is_graded_again(
    unhurried: Course, expected: dict[str, Any], tmp_path: Path
) -> None:
    run = started(unhurried, tmp_path)
    (worker,) = workers(run.pid)
    confining = base_servers(worker)
    assert len(confining) == 1
    os.kill(confining[0], signal.SIGKILL)
    run.expect(pexpect.EOF)
    run.close()
    assert run.exitstatus == 0, run.before
    assert results(tmp_path) == expected
    assert list(temporary(tmp_path).iterdir()) == []


def test_submissions_that_cannot_be_confined_any_more_get_no_mark(
    unhurried: Course, expected: dict[str, Any], tmp_path: Path, strong_here: bool
) -> None:
    wrapper = shutil.which("bwrap")
    if wrapper is None or not strong_here:
        pytest.skip("no bubblewrap here that could break, or none that works")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "bwrap").symlink_to(wrapper)
    out = tmp_path / "report"
    command = ("grade", "class", "--out", out, "--jobs", "1")
    run = unhurried.on_terminal(*command, PATH=str(tools), TMPDIR=str(temporary(out)))
    run.expect(f"[1-{CLASS - 2}]/{CLASS}")
    os.kill(run.pid, signal.SIGSTOP)  # or it may be over before the tool is gone
    (tools / "bwrap").unlink()
    (worker,) = workers(run.pid)
    for confining in base_servers(worker):
        os.kill(confining, signal.SIGKILL)
    os.kill(run.pid, signal.SIGCONT)
    run.expect(pexpect.EOF)
    run.close()
    assert run.exitstatus == 3, run.before
    assert "could not be graded: bubblewrap (bwrap) is not installed" in run.before
    marks = {(entry["status"], entry["mark"]) for entry in results(out)["submissions"]}
    assert marks == {("graded", 6.0), ("harness_error", None)}
    assert list(temporary(out).iterdir()) == []
    (tools / "bwrap").symlink_to(wrapper)
    again = unhurried.run("grade", "class", "--out", out)
    assert again.status == 0, again.err
    assert results(out) == expected
