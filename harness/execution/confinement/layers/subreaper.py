"""Orphans are inherited by the server that looks for them, and end with it."""

from __future__ import annotations

from harness.execution.confinement.layers.layer import ALL_TIERS, BaseSetup, Layer, ServerSetup

_PR_SET_CHILD_SUBREAPER = 36


class Subreaper(Layer):
    """A process that detaches itself from its scenario does not outlive it."""

    name = "subreaper"
    tiers = ALL_TIERS
    order = 70

    def set_up_base(self, setup: BaseSetup) -> None:
        setup.prctls.append((_PR_SET_CHILD_SUBREAPER, 1))

    def set_up_server(self, setup: ServerSetup) -> None:
        setup.prctls.append((_PR_SET_CHILD_SUBREAPER, 1))
        setup.looks_for_orphans = not setup.filter  # under a filter no process is ever started
