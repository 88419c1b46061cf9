"""The kernel's count of memory, processor time, open files, processes and file size.

The driver's clocks decide about time; these limits hold without them.
"""

from __future__ import annotations

from harness.execution.confinement.layers import ALL_TIERS, Layer, ServerSetup
from harness.execution.folder import LARGEST_FILE

_CPU_SECONDS = 3600
_OPEN_FILES = 64
_PROCESSES = 16  # the server and its one scenario; more only where a filter failed


class Rlimits(Layer):
    """Limits that a scenario inherits from its server and cannot raise."""

    name = "rlimits"
    tiers = ALL_TIERS
    order = 50

    def set_up_server(self, setup: ServerSetup) -> None:
        setup.limits_memory = True
        setup.rlimits += [
            ("RLIMIT_CPU", _CPU_SECONDS),
            ("RLIMIT_NOFILE", _OPEN_FILES),
            ("RLIMIT_CORE", 0),
            ("RLIMIT_FSIZE", LARGEST_FILE if setup.writable else 0),
        ]
        if setup.uid is not None:  # a user with other processes would have them counted too
            setup.rlimits.append(("RLIMIT_NPROC", _PROCESSES))
