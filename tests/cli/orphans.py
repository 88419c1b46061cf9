"""Kill `harness` in the middle of a run, and wait until all that it had started is gone.

Usage: orphans.py HARNESS ARGUMENT… (run by a test; prints how many processes it waited for)
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

import pexpect

PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        sys.exit("cannot become the parent of orphans")
    child = pexpect.spawn(sys.argv[1], sys.argv[2:], encoding="utf-8", timeout=60)
    child.expect(r"[1-5]/6")
    os.kill(child.pid, signal.SIGKILL)
    gone = 0
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
        gone += 1
    print(f"{gone} gone")


main()
