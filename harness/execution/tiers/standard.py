"""The standard tier: unprivileged user, no-new-privileges, limits, Landlock, seccomp."""

from __future__ import annotations

import ctypes
import itertools
import os
import pwd
import sys
from collections.abc import Iterator
from pathlib import Path

from harness.execution import seccomp
from harness.execution.tiers.confinement import Orders
from harness.model.result import Tier

_LANDLOCK_CREATE = 444
_VERSION_QUESTION = 1
_OLDEST_LANDLOCK = 3
_PR_SET_DUMPABLE = 4
_NOBODY = 65534
_FIRST_UID, _UIDS = 61184, 4000  # a range that no distribution hands out to people

# What the interpreter may need after it has started: shared libraries, time zones, devices.
_READABLE = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
    "/etc/localtime", "/usr/share/zoneinfo", "/dev/null", "/dev/zero", "/dev/urandom",
)  # fmt: skip


class StandardConfinement:
    """Works on Linux, also inside a container."""

    tier = Tier.STANDARD
    confined = True
    not_prevented = (
        "A submission could still read the Python installation and system libraries, look at the "
        "clock and at process numbers, and slow its neighbours down within its limits."
    )

    def unavailable(self) -> str:
        """Whether the kernel and libseccomp are there."""
        if sys.platform != "linux":
            return "it needs Linux"
        abi = ctypes.CDLL(None).syscall(_LANDLOCK_CREATE, None, 0, _VERSION_QUESTION)
        if abi < _OLDEST_LANDLOCK:
            return f"it needs Landlock ABI {_OLDEST_LANDLOCK}, this kernel has {max(abi, 0)}"
        return seccomp.available()

    def protect_driver(self) -> None:
        """Keep processes of the same user out of this one's memory, which holds the answers."""
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)

    def __init__(self) -> None:
        self._uids = _unused_uids() if os.geteuid() == 0 else None

    def orders(self, directory: str, *, notify: bool) -> Orders | None:
        """The uid to become, what may be read, and the filters."""
        return {
            "uid": None if self._uids is None else next(self._uids),
            "directory": directory,
            "readable": list(_READABLE),
            "filter": seccomp.server_filter(notify=notify),
            "child_filter": seccomp.child_filter(),
            "notify": notify,
        }


def _unused_uids() -> Iterator[int]:
    """User ids that nobody has and no process runs under: one a submission, each alone."""
    taken = {entry.pw_uid for entry in pwd.getpwall()}
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                taken.add(process.stat().st_uid)
            except OSError:
                continue
    free = [uid for uid in range(_FIRST_UID, _FIRST_UID + _UIDS) if uid not in taken]
    mapped = _mapped()
    free = [uid for uid in free if any(first <= uid < end for first, end in mapped)] or [_NOBODY]
    start = os.getpid() % len(free)  # drivers beside this one start elsewhere
    return itertools.cycle(free[start:] + free[:start])


def _mapped() -> list[tuple[int, int]]:
    """The ids that this user namespace has at all, as ranges (in a container not all of them)."""
    try:
        lines = Path("/proc/self/uid_map").read_text("ascii").splitlines()
    except OSError:
        return [(0, 1 << 32)]
    ranges = [[int(part) for part in line.split()] for line in lines]
    return [(first, first + count) for first, _, count in ranges]
