"""The layers of the confinement, one file each; a new file is found by itself."""

from functools import cache

from harness.common.discovery import subclasses
from harness.execution.confinement.layers.layer import BaseSetup, Layer, ServerSetup

__all__ = ["BaseSetup", "Layer", "ServerSetup", "known_layers"]


@cache
def known_layers() -> tuple[type[Layer], ...]:
    """All layers, in the order in which they are asked. Raises ValueError where two have the same
    name."""
    layers = subclasses(__name__, __path__, Layer, lambda layer: (layer.order, layer.name))
    if len({layer.name for layer in layers}) < len(layers):
        raise ValueError("two layers have the same name")
    return layers
