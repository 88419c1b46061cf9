"""Run a program where the modules and calls that Windows lacks are made unavailable.

Usage: no_terminals.py PROGRAM ARGUMENT…   (a file or an archive)
"""

from __future__ import annotations

import os
import runpy
import select
import sys

REFUSED = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty")
OF_OS = (
    "fork", "forkpty", "geteuid", "openpty", "pidfd_open", "sched_getaffinity",
    "sched_setaffinity", "wait4",
)  # fmt: skip


class Refusing:
    """Says of these modules that there are none."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in REFUSED:
            raise ImportError(f"no module named {name} here")


def remove() -> None:
    """From here on this process is without them."""
    sys.meta_path.insert(0, Refusing())  # type: ignore[arg-type]
    for name in REFUSED:
        sys.modules.pop(name, None)
    for name in OF_OS:
        if hasattr(os, name):
            delattr(os, name)
    for name in ("poll", "epoll"):
        if hasattr(select, name):
            delattr(select, name)


if __name__ == "__main__":
    remove()
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
