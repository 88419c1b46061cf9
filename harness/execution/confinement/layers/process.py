"""Restrictions that a process sets for itself without special rights, one layer each: by prctl,
and the kernel's limits on memory, CPU time, open files, processes and file size.
"""

import ctypes
import sys

from harness.execution.confinement.layers import ALL_TIERS, Layer, ProcessSetup, ServerSetup
from harness.execution.folder import MAX_FILE_SIZE

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36


class Undumpable(Layer):
    """Prevents other processes of the same user from tracing ours and from reading their memory
    and environment.
    """

    name = "undumpable"
    tiers = ALL_TIERS
    order = 60

    def protect_driver(self) -> None:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)

    def set_up(self, setup: ProcessSetup) -> None:
        setup.prctls.append((_PR_SET_DUMPABLE, 0))


class Subreaper(Layer):
    """Makes a server the parent of processes that detach themselves, so that it finds and ends
    them.
    """

    name = "subreaper"
    tiers = ALL_TIERS
    order = 70

    def set_up(self, setup: ProcessSetup) -> None:
        setup.prctls.append((_PR_SET_CHILD_SUBREAPER, 1))

    def set_up_server(self, setup: ServerSetup) -> None:
        setup.looks_for_orphans = not setup.filter  # under a filter no process is ever started


class DieWithParent(Layer):
    """Makes the kernel end a server when the zygote ends, and a scenario when its server ends."""

    name = "die_with_parent"
    tiers = ALL_TIERS
    order = 80

    def set_up(self, setup: ProcessSetup) -> None:
        setup.dies_with_parent = True


_CPU_SECONDS = 3600  # the driver's clocks decide about time; these limits hold without them
_OPEN_FILES = 64
_PROCESSES = 16  # the server and its one scenario; more only if a filter failed


class Rlimits(Layer):
    """Sets limits on a server that its scenarios inherit and cannot raise."""

    name = "rlimits"
    tiers = ALL_TIERS
    order = 50

    def set_up_server(self, setup: ServerSetup) -> None:
        setup.limits_memory = True
        setup.rlimits += [
            ("RLIMIT_CPU", _CPU_SECONDS),
            ("RLIMIT_NOFILE", _OPEN_FILES),
            ("RLIMIT_CORE", 0),
            ("RLIMIT_FSIZE", MAX_FILE_SIZE if setup.writable else 0),
        ]
        if setup.uid is not None:  # else the id is shared: all its processes would count
            setup.rlimits.append(("RLIMIT_NPROC", _PROCESSES))
