"""Confinement tiers: sets of layers, and what each layer means here."""

from harness.execution.confinement.tiers import NOT_PREVENTED, Confinement, tier_layers

__all__ = ["NOT_PREVENTED", "Confinement", "tier_layers"]
