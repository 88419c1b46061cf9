"""What one scenario may use, set in its own process just after the fork.

The driver's clocks decide (`harness.execution.clock`); these limits hold when nobody is looking.
"""

from __future__ import annotations

import resource

_set = resource.setrlimit
_AS = resource.RLIMIT_AS
_CPU = resource.RLIMIT_CPU
_FILES = resource.RLIMIT_NOFILE
_PROCESSES = resource.RLIMIT_NPROC
_OPEN_FILES = 64


def address_space() -> int:
    """This process's address space, bytes."""
    with open("/proc/self/statm", "rb") as statm:  # noqa: PTH123 - as above
        return int(statm.read().split()[0]) * resource.getpagesize()


def limit(cpu_seconds: float, address_space_bytes: int, alone: bool) -> None:
    """CPU time (rounded up, and one second more), memory, descriptors; `alone`: no forks."""
    seconds = int(cpu_seconds) + 2
    _set(_CPU, (seconds, seconds))
    if address_space_bytes:
        _set(_AS, (address_space_bytes, address_space_bytes))
    if alone:
        _set(_FILES, (_OPEN_FILES, _OPEN_FILES))
        _set(_PROCESSES, (0, 0))
