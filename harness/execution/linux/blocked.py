"""Tells whether a confined process waits for itself, by the system call that the kernel says it is
in. The kernel tells this to root, and to whoever made the namespaces that the process is in."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from harness.execution.confinement.layers.seccomp import numbers_of

_ON_ONE_DESCRIPTOR = (
    "read", "readv", "write", "writev", "recvfrom", "recvmsg", "sendto", "sendmsg",
)  # fmt: skip
_ON_MANY = ("epoll_wait", "epoll_pwait")
_TIMEOUT = 3  # the argument that says how long these wait
_NO_TIMEOUT = 0xFFFFFFFF  # -1, as the kernel passes an int
_WAITS_FOR_EVENT = "S"


def waits_for_itself(pid: int, ours: frozenset[int]) -> bool:
    """Return whether a process, which has one thread, no child and no timer, waits for a pipe or
    socket that nobody else holds.

    `ours` are the inodes of those that we hold. False if the kernel does not tell.
    """
    process = Path("/proc", str(pid))
    try:
        number, *arguments = (process / "syscall").read_text("ascii").split()
        state = (process / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0]
        name = _names().get(int(number), "")
        if not name or state != _WAITS_FOR_EVENT:
            return False
        values = [int(argument, 16) for argument in arguments]
        if name in _ON_MANY:
            return values[_TIMEOUT] & 0xFFFFFFFF == _NO_TIMEOUT
        target = str((process / "fd" / str(values[0])).readlink())
    except (OSError, ValueError, IndexError):  # it ended, it runs, or we may not know
        return False
    kind, found, inode = target.rstrip("]").partition(":[")
    return bool(found) and kind in ("pipe", "socket") and int(inode) not in ours


@functools.cache
def _names() -> Mapping[int, str]:
    return numbers_of((*_ON_ONE_DESCRIPTOR, *_ON_MANY))
