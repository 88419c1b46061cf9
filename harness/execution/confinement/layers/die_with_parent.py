"""A server ends with its base, a scenario with its server."""

from __future__ import annotations

from harness.execution.confinement.layers.layer import ALL_TIERS, BaseSetup, Layer, ServerSetup


class DieWithParent(Layer):
    """The kernel ends a process when the one that started it has ended."""

    name = "die_with_parent"
    tiers = ALL_TIERS
    order = 80

    def set_up_base(self, setup: BaseSetup) -> None:
        setup.dies_with_parent = True

    def set_up_server(self, setup: ServerSetup) -> None:
        setup.dies_with_parent = True
