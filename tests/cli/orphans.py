"""Kill `harness` in the middle of a run, and wait until all that it had started is gone.

Usage: orphans.py HARNESS ARGUMENT… (run by a test; prints how many processes it waited for, and for
how many seconds, as a process that sleeps counts them: a busy machine makes them longer). With
WAIT_FOR=spinning in the environment it kills when a process below the run has used half a second of
processor time in a row, else when a submission is graded.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from pathlib import Path

import pexpect

PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 110  # seconds; the test that runs this waits a little longer
NAP = 0.01  # seconds
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        sys.exit("cannot become the parent of orphans")
    child = pexpect.spawn(sys.argv[1], sys.argv[2:], encoding="utf-8", timeout=PATIENCE)
    if os.environ.get("WAIT_FOR") == "spinning":
        wait_until_one_spins(child)
    else:
        child.expect(r"[1-5]/6")
    os.kill(child.pid, signal.SIGKILL)
    gone, naps = 0, 0
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            break
        gone += bool(ended)
        if not ended:
            naps += 1
            select.select([], [], [], NAP)
    print(f"{gone} gone after {naps * NAP:.2f} s")


def wait_until_one_spins(run: pexpect.spawn[str]) -> None:
    """Wait for a process far below the run that runs a scenario: its processor time grows and
    its parent is a server, not the run, what forks its workers, or a worker."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for process, depth in below(run.pid):
            if depth >= 4 and processor_seconds(process) > 0.5:
                return
        run.expect(pexpect.TIMEOUT, timeout=0.02)  # what it draws is read, or it would wait for us
    sys.exit("nothing spins")


def below(parent: int, depth: int = 1) -> list[tuple[int, int]]:
    found = []
    try:
        text = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii")
    except OSError:
        return []
    for name in text.split():
        found += [(int(name), depth), *below(int(name), depth + 1)]
    return found


def processor_seconds(process: int) -> float:
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="ascii")
    except OSError:
        return 0.0
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


main()
