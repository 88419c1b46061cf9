"""One command timed whole, with everything it started; nothing of it stays behind."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """Seconds of wall time and of CPU (user and system, all descendants); `status` is None when
    the limit was reached."""

    wall: float
    cpu: float
    status: int | None
    output: str


def run(command: list[str], folder: Path, environ: dict[str, str], limit: float) -> Ran:
    """Run `command` in `folder` for at most `limit` seconds. Call `adopt_orphans` once
    before: what it leaves running is then our child, so that it is counted and ended."""
    before = _cpu()
    with tempfile.TemporaryFile() as screen:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=screen,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        status: int | None
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        wall = time.perf_counter() - started
        _end_left_over()
        screen.seek(0)
        output = screen.read().decode(errors="replace")
    return Ran(wall=wall, cpu=_cpu() - before, status=status, output=output)


def _end_left_over() -> None:
    """Kill and reap until no adopted child is left; a killed parent hands its children on."""
    while True:
        for process_id in Path("/proc/thread-self/children").read_text().split():
            os.kill(int(process_id), signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
