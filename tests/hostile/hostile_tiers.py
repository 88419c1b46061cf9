"""The tiers that this machine has."""

from __future__ import annotations

import pytest

from harness.execution import tier_layers
from harness.execution.confinement import Confinement
from harness.model.observation import Tier


def tiers_here() -> tuple[Tier, ...]:
    """Best last; portable is everywhere."""
    order = (Tier.PORTABLE, Tier.STANDARD, Tier.STRONG)
    return tuple(tier for tier in order if not Confinement(tier_layers(tier)).unavailable())


EVERY_TIER = [
    "best",
    *(pytest.param(tier, marks=pytest.mark.release) for tier in (Tier.STANDARD, Tier.PORTABLE)),
]
"""For the fixture `tier`: the best one here, and with `make test-all` the others."""
