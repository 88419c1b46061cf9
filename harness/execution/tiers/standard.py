"""The standard tier: unprivileged user, no-new-privileges, limits, Landlock, seccomp."""

from __future__ import annotations

import ctypes
import os
import pwd
import sys
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

    def orders(self, directory: str, *, notify: bool) -> Orders | None:
        """The uid to become, what may be read, and the filters."""
        return {
            "uid": _unused_uid() if os.geteuid() == 0 else None,
            "directory": directory,
            "readable": list(_READABLE),
            "filter": seccomp.server_filter(notify=notify),
            "child_filter": seccomp.child_filter(),
            "notify": notify,
        }


def _unused_uid() -> int:
    """A user id that nobody has and no process runs under, so that its processes are alone."""
    taken = {entry.pw_uid for entry in pwd.getpwall()}
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                taken.add(process.stat().st_uid)
            except OSError:
                continue
    start = os.getpid() % _UIDS
    for step in range(_UIDS):
        uid = _FIRST_UID + (start + step) % _UIDS
        if uid not in taken and _is_mapped(uid):
            return uid
    return _NOBODY


def _is_mapped(uid: int) -> bool:
    """Whether this user namespace has the id at all (in a container it may not)."""
    try:
        lines = Path("/proc/self/uid_map").read_text("ascii").splitlines()
    except OSError:
        return True
    ranges = [[int(part) for part in line.split()] for line in lines]
    return any(first <= uid < first + count for first, _, count in ranges)
