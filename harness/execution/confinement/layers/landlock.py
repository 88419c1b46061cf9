"""Restricts files: a submission can read only the library and write only its scenario's folder.

Also forbids TCP.
"""

import ctypes

from harness.execution.confinement.layers import CONFINING_TIERS, Layer, ServerSetup

_LANDLOCK_CREATE = 444
_ASK_FOR_VERSION = 1
_OLDEST_ABI = 3


class Landlock(Layer):
    """Applies the kernel's Landlock rules, which a process sets for itself."""

    name = "landlock"
    tiers = CONFINING_TIERS
    order = 30

    def unavailable(self) -> str:
        abi = ctypes.CDLL(None).syscall(_LANDLOCK_CREATE, None, 0, _ASK_FOR_VERSION)
        if abi < _OLDEST_ABI:
            return f"it needs Landlock ABI {_OLDEST_ABI}, this kernel has {max(abi, 0)}"
        return ""

    def set_up_server(self, setup: ServerSetup) -> None:
        setup.restricts_files = True
