"""The layers of the confinement: each module here is one, and registers itself."""

from harness.common.discovery import import_modules
from harness.execution.confinement.layers.layer import BaseSetup, Layer, ServerSetup, known_layers

import_modules(__name__, __path__)

__all__ = ["BaseSetup", "Layer", "ServerSetup", "known_layers"]
