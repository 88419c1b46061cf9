"""Whatever ends a run, the same command goes on from there and finds the same; where confinement
breaks in the middle it is tried again, and never a mark of 0.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from tests.cli.conftest import CLASS
from tests.cli.orphans import children, command_line, kill_grading, status
from tests.per_commit import per_commit
from tests.tiny_course import HARNESS, PATIENCE, Course, Terminal, environment, results, rows


def temporary(out: Path) -> Path:
    """A folder of the test's own in place of /tmp, to see what stays in it."""
    folder = out.with_name(f"{out.name}-temporary")
    folder.mkdir(exist_ok=True)
    return folder


def started(course: Course, out: Path) -> Terminal:
    """A run on a terminal, when at least one submission is done and at least one is not."""
    command = ("grade", "class", "--out", out, "--jobs", "1")
    child = course.on_terminal(*command, TMPDIR=str(temporary(out)))
    child.expect(f"[1-{CLASS - 1}]/{CLASS}")
    return child


def resumed(course: Course, out: Path) -> str:
    outcome = course.ok("grade", "class", "--out", out)
    return outcome.err


@pytest.mark.parametrize(
    "how", per_commit(["ctrl-c", signal.SIGTERM, signal.SIGHUP], "ctrl-c"), ids=str
)
def test_an_interrupted_run_is_reported_and_goes_on(
    unhurried: Course, expected: dict[str, Any], tmp_path: Path, how: signal.Signals | str
) -> None:
    child = started(unhurried, tmp_path)
    if isinstance(how, signal.Signals):
        os.kill(child.pid, how)
    else:
        child.sendintr()
    child.expect(f"interrupted after ([1-{CLASS - 1}]) of {CLASS}; the same command goes on")
    done = int(child.match[1])
    child.assert_ended(130)
    assert list(temporary(tmp_path).iterdir()) == []
    found = results(tmp_path)
    assert found["run"]["complete"] is False
    assert len(found["submissions"]) == len(rows(tmp_path, "submission")) == done
    assert "not complete" in (tmp_path / "index.html").read_text(encoding="utf-8")
    shown = unhurried.run("show", tmp_path)
    assert (shown.status, "not complete" in shown.out) == (0, True)
    assert f", {done} graded before" in resumed(unhurried, tmp_path)
    assert results(tmp_path) == expected


def test_a_killed_run_leaves_no_process_and_goes_on(
    unhurried: Course,
    expected: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TMPDIR", str(temporary(tmp_path)))
    gone, _ = kill_grading(unhurried, "class", "--out", tmp_path, "--jobs", "2")
    assert list(temporary(tmp_path).iterdir()) == []
    assert gone >= 3  # the run itself and its two workers
    kept = len(rows(tmp_path, "submission"))
    assert 1 <= kept < CLASS
    assert f", {kept} graded before" in resumed(unhurried, tmp_path)
    assert results(tmp_path) == expected


@pytest.mark.parametrize("workers_there", [0, 1])
def test_a_signal_while_workers_start_prints_no_traceback(
    unhurried: Course, tmp_path: Path, workers_there: int
) -> None:
    run = unhurried.on_terminal("grade", "class", "--out", tmp_path, "--jobs", "2")
    run.expect("layout: ")  # what comes next is the start of the workers
    if workers_there:
        workers(run.pid)
    run.kill(signal.SIGTERM)
    run.assert_ended(130)
    assert "interrupted" in run.before


@pytest.mark.parametrize("option", per_commit(["--jobs=1", "--thorough"], "--jobs=1"))
def test_after_a_kill_nothing_lives_two_seconds_though_a_program_spins(
    unhurried: Course, tmp_path: Path, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = Course.copy(unhurried.root, tmp_path / "course")
    source = course.path("reference/tiny/a1.py").read_text(encoding="utf-8")
    course.write("spins/s0/a1.py", source.replace("\n\n\n", "\nwhile True:\n    pass\n\n\n", 1))
    course.edit("specs/tiny/assignment.yaml", "policy:", "limits: {cpu_seconds: 60}\npolicy:")
    monkeypatch.setenv("TMPDIR", str(temporary(tmp_path)))
    gone, seconds = kill_grading(course, "spins", "--out", tmp_path / "out", option, spins=True)
    assert gone >= 2
    assert seconds < 2
    assert list(temporary(tmp_path).iterdir()) == []


def test_a_worker_that_dies_is_replaced_and_another_run_is_refused(
    unhurried: Course, expected: dict[str, Any], tmp_path: Path
) -> None:
    child = started(unhurried, tmp_path)
    os.kill(child.pid, signal.SIGSTOP)  # or it may be over before the second has started
    second = unhurried.run("grade", "class", "--out", tmp_path)
    (worker,) = workers(child.pid)
    os.kill(worker, signal.SIGKILL)
    os.kill(child.pid, signal.SIGCONT)
    assert (second.status, second.out) == (2, "")
    assert second.err == (
        f"error: {tmp_path / 'run.sqlite'}: another run is writing these results. "
        "Hint: wait for it or choose another folder with --out\n"
    )
    child.assert_ended(0)
    assert results(tmp_path) == expected


def with_workers_killed(course: Course, *arguments: str | Path) -> tuple[str, int]:
    """Grade while every worker is killed as it starts: what it said, how many there were."""
    run = subprocess.Popen(
        [HARNESS, "grade", *arguments],
        cwd=course.root,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=-1,
    )
    killed: set[int] = set()
    while run.poll() is None:
        for worker in set(workers(run.pid)) - killed:
            os.kill(worker, signal.SIGKILL)
            killed.add(worker)
    assert run.stderr is not None
    complaint = run.stderr.read().decode()
    run.stderr.close()
    assert run.returncode == 3, complaint
    return complaint, len(killed)


def workers(parent: int) -> list[int]:
    """The worker processes of a run, as soon as there is one; none if it ended first. They are
    forked by a process of the run's."""
    deadline = monotonic() + PATIENCE
    while monotonic() < deadline:
        servers = [pid for pid in children(parent) if b"processes.serve" in command_line(pid)]
        found = [worker for server in servers for worker in children(server)]
        if found or status(parent)[0] == "Z":
            return found
        select.select([], [], [], 0.002)
    raise AssertionError("no worker was started")


def base_servers(worker: int) -> list[int]:
    """What confines a worker's submissions: its base server, or what is wrapped around that."""
    return [pid for pid in children(worker) if b"package.base.serve" in command_line(pid)]


def test_what_confines_dies_and_the_submission_is_graded_again(
    unhurried: Course, expected: dict[str, Any], tmp_path: Path
) -> None:
    run = started(unhurried, tmp_path)
    (worker,) = workers(run.pid)
    confining = base_servers(worker)
    assert len(confining) == 1
    os.kill(confining[0], signal.SIGKILL)
    run.assert_ended(0)
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
    run.assert_ended(3)
    assert "could not be graded: bubblewrap (bwrap) is not installed" in run.before
    marks = {(entry["status"], entry["mark"]) for entry in results(out)["submissions"]}
    assert marks == {("graded", 6.0), ("harness_error", None)}
    assert list(temporary(out).iterdir()) == []
    (tools / "bwrap").symlink_to(wrapper)
    unhurried.ok("grade", "class", "--out", out)
    assert results(out) == expected
