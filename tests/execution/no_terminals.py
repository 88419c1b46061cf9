"""Run a program where the modules, calls and time zones that Windows lacks are made unavailable.

Usage: no_terminals.py PROGRAM ARGUMENT…   (a file or an archive)
"""

import os
import runpy
import select
import signal
import sys
import zoneinfo

REFUSED = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty", "tzdata")
MISSING = {
    os: (
        "fork", "forkpty", "geteuid", "getuid", "killpg", "openpty", "pidfd_open", "setsid",
        "sched_getaffinity", "sched_setaffinity", "uname", "wait4", "WIFSIGNALED",
    ),
    select: ("poll", "epoll"),
    signal: ("setitimer", "getitimer", "SIGVTALRM", "SIGXCPU", "pthread_sigmask"),
}  # fmt: skip


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
    zoneinfo.reset_tzpath(())
    for module, names in MISSING.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)


if __name__ == "__main__":
    remove()
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
