"""The driver's and the servers' memory and environment are closed to their own user."""

from __future__ import annotations

import ctypes
import sys

from harness.execution.confinement.layers.layer import ALL_TIERS, BaseSetup, Layer, ServerSetup

_PR_SET_DUMPABLE = 4


class Undumpable(Layer):
    """Other processes of the same user cannot read or trace ours."""

    name = "undumpable"
    tiers = ALL_TIERS
    order = 60

    def protect_driver(self) -> None:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)

    def set_up_base(self, setup: BaseSetup) -> None:
        setup.prctls.append((_PR_SET_DUMPABLE, 0))

    def set_up_server(self, setup: ServerSetup) -> None:
        setup.prctls.append((_PR_SET_DUMPABLE, 0))
