"""Confinement tiers: sets of layers, and what each layer means here."""

from harness.execution.confinement.layers import LAYERS, NOT_PREVENTED, Confinement, Layer

__all__ = ["LAYERS", "NOT_PREVENTED", "Confinement", "Layer"]
