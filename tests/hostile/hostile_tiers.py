"""The tiers that this machine has."""

from __future__ import annotations

from harness.execution import tier_layers
from harness.execution.confinement import Confinement
from harness.model.result import Tier


def tiers_here() -> tuple[Tier, ...]:
    """Best last; portable is everywhere."""
    order = (Tier.PORTABLE, Tier.STANDARD, Tier.STRONG)
    return tuple(tier for tier in order if not Confinement(tier_layers(tier)).unavailable())
