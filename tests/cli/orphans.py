"""What a run has started, as /proc shows it; a run that is killed, until all of it is gone."""

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
    assert ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
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
            user, system = status(process)[11:13]
            if depth >= 4 and (int(user) + int(system)) / TICKS > 0.5:
                return
        run.expect(pexpect.TIMEOUT, timeout=0.02)  # what it draws is read, or it would wait for us
    raise AssertionError("nothing spins")


def below(parent: int, depth: int = 1) -> Iterator[tuple[int, int]]:
    for child in children(parent):
        yield child, depth
        yield from below(child, depth + 1)


def children(parent: int) -> list[int]:
    """None of a process that is gone."""
    try:
        text = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(name) for name in text.split()]


def status(process: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on; of a process that is gone a zombie's."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except OSError:
        return ["Z", *"0" * 20]
    return text.rpartition(")")[2].split()


def command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""
