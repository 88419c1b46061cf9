"""What a process says of itself by prctl, each a layer of its own, without the kernel's leave."""

from __future__ import annotations

import ctypes
import sys

from harness.execution.confinement.layers import ALL_TIERS, BaseSetup, Layer, ServerSetup

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36


class Undumpable(Layer):
    """Other processes of the same user cannot read or trace ours: the driver's and the servers'
    memory and environment are closed to them."""

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


class Subreaper(Layer):
    """A process that detaches itself from its scenario does not outlive it: orphans are inherited
    by the server that looks for them, and end with it."""

    name = "subreaper"
    tiers = ALL_TIERS
    order = 70

    def set_up_base(self, setup: BaseSetup) -> None:
        setup.prctls.append((_PR_SET_CHILD_SUBREAPER, 1))

    def set_up_server(self, setup: ServerSetup) -> None:
        setup.prctls.append((_PR_SET_CHILD_SUBREAPER, 1))
        setup.looks_for_orphans = not setup.filter  # under a filter no process is ever started


class DieWithParent(Layer):
    """The kernel ends a process when the one that started it has ended: a server ends with its
    base, a scenario with its server."""

    name = "die_with_parent"
    tiers = ALL_TIERS
    order = 80

    def set_up_base(self, setup: BaseSetup) -> None:
        setup.dies_with_parent = True

    def set_up_server(self, setup: ServerSetup) -> None:
        setup.dies_with_parent = True
