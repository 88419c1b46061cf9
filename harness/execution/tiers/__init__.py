"""Confinement tiers: sets of layers, and what each layer means here."""

from harness.execution.tiers.confinement import Confinement
from harness.execution.tiers.layers import LAYERS, NOT_PREVENTED, Layer

__all__ = ["LAYERS", "NOT_PREVENTED", "Confinement", "Layer"]
