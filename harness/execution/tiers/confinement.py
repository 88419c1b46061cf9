"""What a confinement tier decides; `harness.execution.inside.confine` carries it out."""

from __future__ import annotations

from typing import Protocol

from harness.model.result import Tier

Orders = dict[str, object]


class Confinement(Protocol):
    """One tier. `confined` tells whether submission servers give anything up."""

    tier: Tier
    confined: bool
    not_prevented: str

    def unavailable(self) -> str:
        """Why this machine lacks what the tier is made of; empty when nothing is known to lack."""

    def protect_driver(self) -> None:
        """What this process must do for its own protection."""

    def orders(self, directory: str, *, notify: bool) -> Orders | None:
        """What a submission server must give up, as plain data; None: nothing."""
