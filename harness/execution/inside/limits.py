"""Limits that the kernel enforces on a scenario's process.

Normally the driver measures time (`harness.execution.linux.processes`); these limits hold even when
it is not looking. The server sets them and every scenario's process inherits them: a scenario
cannot raise them, and setting them after every fork would be slow.
"""

# not pathlib: it would add memory to every fork
# ruff: noqa: PTH123

from __future__ import annotations

import os
import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .messages.protocol import ProcessLimits

_MIB = 1024 * 1024
_NONE = resource.RLIM_INFINITY


class KernelLimits:
    """The limits of a server's process and its forks.

    `rlimits` maps names of the `resource` module to values and lowers those limits for good.
    `limits_memory` tells whether memory can be limited.
    """

    def __init__(self, setup: dict[str, Any]) -> None:
        self._space = _address_space() if setup["limits_memory"] else 0
        self._most = resource.getrlimit(resource.RLIMIT_AS)[1]
        self._now = 0
        for name, wanted in setup["rlimits"]:
            kind = getattr(resource, name)
            most = resource.getrlimit(kind)[1]  # where less was inherited, it stays at that
            value = wanted if most == _NONE else min(wanted, most)
            resource.setrlimit(kind, (value, value))

    def keep(self, limits: ProcessLimits | None) -> None:
        """Replace the present limits of this process and its forks by these; None removes them."""
        self._allow_memory(0 if limits is None else limits.memory_mib * _MIB)

    def _allow_memory(self, more: int) -> None:
        """Limit the memory to `more` bytes above the size that this process had at first; 0 means
        no limit.
        """
        if self._space and more != self._now:
            soft = self._space + more if more else self._most
            if self._most != _NONE:
                soft = min(soft, self._most)
            resource.setrlimit(resource.RLIMIT_AS, (soft, self._most))
            self._now = more


def _address_space() -> int:
    """Return the size of this process in bytes; 0 if the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except FileNotFoundError:
        return 0


def kill_children(spared: set[int]) -> None:
    """Kill and reap this process's children, except `spared`, until none is left.

    This process is a subreaper: it becomes the parent of processes whose own parent was killed, so
    that a daemon cannot escape.
    """
    while pids := _children() - spared:
        for pid in pids:
            os.kill(pid, 9)
            os.waitpid(pid, 0)


def _children() -> set[int]:
    own_pid = os.getpid()
    try:
        with open(f"/proc/{own_pid}/task/{own_pid}/children", "rb") as children:
            return {int(pid) for pid in children.read().split()}
    except OSError:  # without a list, only ended processes are found
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            pass
        return set()
