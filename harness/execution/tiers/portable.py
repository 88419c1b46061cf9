"""The portable tier: time and output limits and a closed codec, no help from the kernel."""

from __future__ import annotations

from harness.execution.tiers.confinement import Orders
from harness.model.result import Tier


class PortableConfinement:
    """Good for checking one's own work."""

    tier = Tier.PORTABLE
    confined = False
    not_prevented = (
        "Self-check only, marks are not secure: nothing kept a submission from reading files, "
        "using the network, starting processes or changing other submissions."
    )

    def unavailable(self) -> str:
        """Nothing is needed."""
        return ""

    def protect_driver(self) -> None:
        """Nothing can be done."""

    def orders(self, directory: str, *, notify: bool) -> Orders | None:
        """Nothing is given up."""
        return None
