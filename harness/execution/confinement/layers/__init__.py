"""The layers of confinement: one module each, found automatically."""

from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

from harness.common.discovery import subclasses
from harness.model.observation import Tier

CONFINING_TIERS = frozenset({Tier.STRONG, Tier.STANDARD})
ALL_TIERS = frozenset(Tier)

# Needs of the interpreter after it has started: shared libraries, time zones, devices.
READABLE = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
    "/etc/localtime", "/usr/share/zoneinfo", "/dev/null", "/dev/zero", "/dev/urandom",
)  # fmt: skip


@dataclass(slots=True, kw_only=True)
class ProcessSetup:
    """Restrictions on one of our server processes.

    Layers fill them in; they are sent as a dictionary.
    """

    # Linux only: option and value of each call of prctl, after a change of user.
    prctls: list[tuple[int, int]] = field(default_factory=list)
    dies_with_parent: bool = False


@dataclass(slots=True, kw_only=True)
class ZygoteSetup(ProcessSetup):
    """Restrictions on the zygote, the process from which servers are forked."""

    confined: bool  # a layer needs the kernel's help: the zygote then needs ctypes
    more_modules: list[str]  # directories beside the interpreter's own; submissions may read them
    keeps_users: bool = False  # root in a namespace, so that each submission can get another user


@dataclass(slots=True, kw_only=True)
class ServerSetup(ProcessSetup):
    """Restrictions on a submission's server, which apply before it reads the submission.

    `inside/confine.py` applies the parts in the order that the kernel asks for: the user first, the
    filter last.
    """

    directory: str  # the scenarios' folder, which can be read
    notify: bool  # the driver asks to be notified of a program's reads
    writable: str = ""  # the folder below which scenarios may write; empty: they write nothing
    uid: int | None = None  # the user to become
    # Only `readable` and `directory` can be read, and nothing written but below `writable`.
    restricts_files: bool = False
    readable: list[str] = field(default_factory=lambda: list(READABLE))
    # Names of the `resource` module and their lowered limits, soft and hard.
    rlimits: list[tuple[str, int]] = field(default_factory=list)
    limits_memory: bool = False  # a scenario's address space is what its assignment allows
    filter: bytes = b""  # the seccomp program of the server and all below it; empty: none
    child_filter: bytes = b""  # that of each scenario's process; empty: none
    shared_filter: bytes = b""  # the same where scenarios share a process; empty: none
    looks_for_orphans: bool = False  # the server ends processes that a scenario left running


class Layer:
    """One part of the confinement. An attack that only this layer stops proves that it is needed.

    Write a subclass in its own module beside this one; it is found without being listed. A
    `Confinement` makes one object of each active layer and asks them by `order`, so that a layer
    can read what earlier ones filled in. Rules that are never switched off are not layers: the
    answer key stays outside, values are compared with their exact types, and one reply counts.
    """

    name: ClassVar[str]
    tiers: ClassVar[frozenset[Tier]]
    order: ClassVar[int] = 1000
    notifies: ClassVar[bool] = False  # it can notify the driver of a program's reads

    def unavailable(self) -> str:
        """Return why this machine cannot provide the layer; an empty text if nothing is known to
        be missing.
        """
        return ""

    def protect_driver(self) -> None:
        """Protect the driver's own process, which holds the answers."""

    def set_up(self, setup: ProcessSetup) -> None:
        """Add restrictions that every server applies to itself."""

    def set_up_zygote(self, setup: ZygoteSetup) -> None:
        """Add restrictions that only the zygote applies to itself."""

    def wrap(self, command: list[str], directory: str, setup: ZygoteSetup) -> list[str]:
        """Return the command line that runs the zygote's `command` inside this layer.

        `directory` is the folder of the scenarios, and `setup` is complete. The first word of the
        command is the interpreter until the layer `namespaces` has wrapped it; other layers wrap
        later.
        """
        return command

    def set_up_server(self, setup: ServerSetup) -> None:
        """Add restrictions that only a submission's server applies to itself."""


@cache
def known_layers() -> tuple[type[Layer], ...]:
    """Return all layers in the order in which they are asked.

    Raise ValueError if two have the same name.
    """
    layers = subclasses(__name__, __path__, Layer, lambda layer: (layer.order, layer.name))
    if len({layer.name for layer in layers}) < len(layers):
        raise ValueError("two layers have the same name")
    return layers
