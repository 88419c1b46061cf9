"""Confines submissions.

A tier is a named set of layers; a `Confinement` applies such a set on this machine.
"""

import sys
from collections.abc import Mapping
from dataclasses import asdict

from harness.execution.confinement.layers import ServerSetup, ZygoteSetup, known_layers
from harness.model.observation import Tier

NOT_PREVENTED: Mapping[Tier, str] = {
    Tier.STRONG: (
        "A submission can still read the Python installation and system libraries, read the "
        "clock, and slow down others within its limits. A security hole in the kernel would let "
        "it out."
    ),
    Tier.STANDARD: (
        "A submission can still read the Python installation and system libraries, see which "
        "processes run and which files exist, read the clock, and slow down others within its "
        "limits. A security hole in the kernel would let it out."
    ),
    Tier.PORTABLE: (
        "Only for self-checks, marks are not secure: a submission can read files, use the "
        "network, start processes, and change other submissions and the grading itself."
    ),
}


def tier_layers(tier: Tier) -> frozenset[str]:
    """Return the names of a tier's layers.

    In the portable tier each layer works as far as the system supports it.
    """
    return frozenset(layer.name for layer in known_layers() if tier in layer.tiers)


class Confinement:
    """The layers with these names, on this machine.

    `confined` tells whether any of them needs the kernel's help; those of the portable tier do not.
    Raise ValueError for an unknown name.
    """

    def __init__(self, layers: frozenset[str]) -> None:
        chosen = [layer for layer in known_layers() if layer.name in layers]
        if unknown := layers - {layer.name for layer in chosen}:
            raise ValueError(f"unknown confinement layer {', '.join(sorted(unknown))}")
        self.confined = any(Tier.PORTABLE not in layer.tiers for layer in chosen)
        self.notifies = any(layer.notifies for layer in chosen)
        self._layers = [layer() for layer in chosen]

    def unavailable(self) -> str:
        """Return why this machine cannot provide the layers; an empty text if nothing is known to
        be missing.
        """
        if not self.confined:
            return ""
        if sys.platform != "linux":
            return "it needs Linux"
        return next((why for layer in self._layers if (why := layer.unavailable())), "")

    def protect_driver(self) -> None:
        """Prevent processes of the same user from reading this process's memory, which holds the
        answers.
        """
        for layer in self._layers:
            layer.protect_driver()

    def for_zygote(self, more_modules: list[str]) -> ZygoteSetup:
        """Return the settings that the zygote applies to itself.

        `more_modules` are further folders of modules.
        """
        setup = ZygoteSetup(confined=self.confined, more_modules=more_modules)
        for layer in self._layers:
            layer.set_up(setup)
            layer.set_up_zygote(setup)
        return setup

    def wrapped(self, command: list[str], directory: str, setup: ZygoteSetup) -> list[str]:
        """Return the command line that starts the zygote.

        `directory` is the folder of the scenarios.
        """
        for layer in self._layers:
            command = layer.wrap(command, directory, setup)
        return command

    def for_server(self, directory: str, *, notify: bool, writable: str = "") -> dict[str, object]:
        """Return the settings that a submission server applies to itself, as the fields of
        `ServerSetup`. Its scenarios may write below the folder `writable`.
        """
        setup = ServerSetup(directory=directory, notify=notify and self.notifies, writable=writable)
        for layer in self._layers:
            layer.set_up(setup)
            layer.set_up_server(setup)
        return asdict(setup)
