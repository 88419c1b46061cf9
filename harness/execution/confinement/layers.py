"""The parts of the confinement as data: a tier is a named set of layers.

A confinement made of layers: what the driver decides, and the processes inside carry out.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping
from enum import StrEnum

from harness.execution.confinement import namespaces, seccomp
from harness.execution.confinement.namespaces import unused_uids
from harness.model.result import Tier


class Layer(StrEnum):
    """One part of the confinement, each proven needed by a program that only it stops.

    What is never switched off is no layer: the answer key stays outside, values are compared
    type-exact, one reply counts. Time, memory and output are limited by `Limits`.
    """

    NAMESPACES = "namespaces"
    """bubblewrap: own processes, network, mounts, host name, IPC; for users also user ids."""
    USER = "user"
    """A user id of its own for each submission, where root gives it; others have none to give."""
    LANDLOCK = "landlock"
    """Files: only the library can be read, nothing written; no TCP."""
    SECCOMP = "seccomp"
    """System calls: no processes, sockets, signals; also how a program's reads are heard."""
    RLIMITS = "rlimits"
    """The kernel's count of memory, processor time, open files, processes, file size."""
    UNDUMPABLE = "undumpable"
    """The driver's and the servers' memory and environment are closed to their own user."""
    SUBREAPER = "subreaper"
    """Orphans are inherited by the server that looks for them, and end with it."""
    DIE_WITH_PARENT = "die_with_parent"
    """A server ends with its base, a scenario with its server."""


LAYERS: Mapping[Tier, frozenset[Layer]] = {
    Tier.STRONG: frozenset(Layer),
    Tier.STANDARD: frozenset(Layer) - {Layer.NAMESPACES},
    Tier.PORTABLE: frozenset(  # each as far as the system has it
        {Layer.RLIMITS, Layer.UNDUMPABLE, Layer.SUBREAPER, Layer.DIE_WITH_PARENT}
    ),
}

CONFINING = LAYERS[Tier.STRONG] - LAYERS[Tier.PORTABLE]
"""The layers that need the kernel's help: without any of them a submission is not confined."""

NOT_PREVENTED: Mapping[Tier, str] = {
    Tier.STRONG: (
        "A submission could still read the Python installation and system libraries, look at the "
        "clock, and slow its neighbours down within its limits; a hole in the kernel itself would "
        "let it out."
    ),
    Tier.STANDARD: (
        "A submission could still read the Python installation and system libraries, see which "
        "processes run and which files exist, look at the clock, and slow its neighbours down "
        "within its limits; a hole in the kernel itself would let it out."
    ),
    Tier.PORTABLE: (
        "Self-check only, marks are not secure: nothing kept a submission from reading files, "
        "using the network, starting processes, or changing other submissions and the grading "
        "itself."
    ),
}


Setup = dict[str, object]

_LANDLOCK_CREATE = 444
_VERSION_QUESTION = 1
_OLDEST_LANDLOCK = 3
_PR_SET_DUMPABLE = 4

# What the interpreter may need after it has started: shared libraries, time zones, devices.
_READABLE = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
    "/etc/localtime", "/usr/share/zoneinfo", "/dev/null", "/dev/zero", "/dev/urandom",
)  # fmt: skip


class Confinement:
    """What these layers mean on this machine. `confined`: any of them needs the kernel's help."""

    def __init__(self, layers: frozenset[Layer]) -> None:
        self.layers = layers
        self.confined = bool(layers & CONFINING)
        gives_users = Layer.USER in layers and os.geteuid() == 0
        self._uids = unused_uids() if gives_users else None

    def unavailable(self) -> str:
        """Why this machine lacks what the layers are made of; empty: nothing known lacks."""
        if not self.confined:
            return ""
        if sys.platform != "linux":
            return "it needs Linux"
        if Layer.NAMESPACES in self.layers:
            lacking = namespaces.unavailable()
            if lacking:
                return lacking
        if Layer.LANDLOCK in self.layers:
            abi = ctypes.CDLL(None).syscall(_LANDLOCK_CREATE, None, 0, _VERSION_QUESTION)
            if abi < _OLDEST_LANDLOCK:
                return f"it needs Landlock ABI {_OLDEST_LANDLOCK}, this kernel has {max(abi, 0)}"
        return seccomp.available() if Layer.SECCOMP in self.layers else ""

    def protect_driver(self) -> None:
        """Keep processes of the same user out of this one's memory, which holds the answers."""
        if Layer.UNDUMPABLE in self.layers and sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)

    def wrapped(self, command: list[str], directory: str) -> list[str]:
        """The command line that starts the base server; `directory` is the scenarios' folder."""
        if Layer.NAMESPACES not in self.layers:
            return command
        return namespaces.wrapped(
            command,
            readable=_READABLE,
            directory=directory,
            keeps_users=self._uids is not None,
            dies_with_parent=Layer.DIE_WITH_PARENT in self.layers,
        )

    def for_base(self) -> Setup:
        """What the base server gives up itself."""
        return {"layers": [layer.value for layer in sorted(self.layers)], "confined": self.confined}

    def for_server(self, directory: str, *, notify: bool) -> Setup:
        """What a submission server gives up: the uid to become, what may be read, the filters."""
        filtered = Layer.SECCOMP in self.layers
        return {
            "layers": [layer.value for layer in sorted(self.layers)],
            "uid": None if self._uids is None else next(self._uids),
            "directory": directory,
            "readable": list(_READABLE),
            "filter": seccomp.server_filter(notify=notify) if filtered else b"",
            "child_filter": seccomp.child_filter() if filtered else b"",
            "notify": notify,
        }
