"""What a scenario's process may use, by the kernel's own count.

The driver's clocks decide about time (`harness.execution.clock`); these limits hold when nobody
is looking. They are set in the server, which each scenario inherits from: a scenario of its own
accord could not raise them, and setting them anew after every fork costs more than it looks.
"""
# pathlib would be heavy for every fork to carry
# ruff: noqa: PTH123

from __future__ import annotations

import resource

_CPU_SECONDS = 3600
_OPEN_FILES = 64
_PROCESSES = 16  # the server and its one scenario; more only where a filter failed
_NONE = resource.RLIM_INFINITY


class Limits:
    """The limits of a server, none unless `counted`; `own_user` tells whether its user has no
    other processes."""

    def __init__(self, *, counted: bool, own_user: bool) -> None:
        self._space = _address_space() if counted else 0
        self._now = 0
        if not counted:
            return
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        if own_user:
            resource.setrlimit(resource.RLIMIT_NPROC, (_PROCESSES, _PROCESSES))

    def allow_memory(self, more: int) -> None:
        """Let this process and those it forks have `more` bytes than this one had at first;
        0: no limit."""
        if self._space and more != self._now:
            soft = self._space + more if more else _NONE
            resource.setrlimit(resource.RLIMIT_AS, (soft, _NONE))
            self._now = more


def _address_space() -> int:
    """This process's address space, bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except FileNotFoundError:
        return 0
