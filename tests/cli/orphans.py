"""Kill `harness` in the middle of a run, and wait until all that it had started is gone."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pexpect

from tests.tiny_course import PATIENCE, Course, in_a_copy

PR_SET_CHILD_SUBREAPER = 36
NAP = 0.01  # seconds
TICKS = os.sysconf("SC_CLK_TCK")


def kill_grading(course: Course, *arguments: str | Path, spins: bool = False) -> tuple[int, float]:
    """How many processes ended, and after how many seconds, as a process that sleeps counts them: a
    busy machine makes them longer. It is killed when a submission is graded, or when a process
    below it `spins`."""
    return in_a_copy(partial(_kill_grading, course, arguments, spins))  # type: ignore[no-any-return]


def _kill_grading(
    course: Course, arguments: tuple[str | Path, ...], spins: bool
) -> tuple[int, float]:
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    run = course.on_terminal("grade", *arguments)
    if spins:
        wait_until_one_spins(run)
    else:
        run.expect(r"[1-5]/6")
    os.kill(run.pid, signal.SIGKILL)
    gone, naps = 0, 0
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return gone, naps * NAP
        gone += bool(ended)
        if not ended:
            naps += 1
            select.select([], [], [], NAP)


def wait_until_one_spins(run: pexpect.spawn) -> None:
    """Wait for a process far below the run that runs a scenario: it has used half a second of
    processor time, and its parent is a server, not the run, what forks its workers, or a worker."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for process, depth in below(run.pid):
            if depth >= 4 and processor_seconds(process) > 0.5:
                return
        run.expect(pexpect.TIMEOUT, timeout=0.02)  # what it draws is read, or it would wait for us
    raise AssertionError("nothing spins")


def below(parent: int, depth: int = 1) -> Iterator[tuple[int, int]]:
    try:
        text = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
    except OSError:
        return
    for name in text.split():
        yield int(name), depth
        yield from below(int(name), depth + 1)


def processor_seconds(process: int) -> float:
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except OSError:
        return 0.0
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
