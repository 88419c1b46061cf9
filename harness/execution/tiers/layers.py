"""The parts of the confinement as data: a tier is a named set of layers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from harness.model.result import Tier


class Layer(StrEnum):
    """One part of the confinement, each proven needed by a program that only it stops.

    What is never switched off is no layer: the answer key stays outside, values are compared
    type-exact, one reply counts. Time, memory and output are limited by `Limits`.
    """

    NAMESPACES = "namespaces"
    """bubblewrap: own processes, network, mounts, host name, IPC; for users also user ids."""
    USER = "user"
    """A user id of its own for each submission, where root gives it; others have none to give."""
    LANDLOCK = "landlock"
    """Files: only the library can be read, nothing written; no TCP."""
    SECCOMP = "seccomp"
    """System calls: no processes, sockets, signals; also how a program's reads are heard."""
    RLIMITS = "rlimits"
    """The kernel's count of memory, processor time, open files, processes, file size."""
    UNDUMPABLE = "undumpable"
    """The driver's and the servers' memory and environment are closed to their own user."""
    SUBREAPER = "subreaper"
    """Orphans are inherited by the server that looks for them, and end with it."""
    DIE_WITH_PARENT = "die_with_parent"
    """A server ends with its base, a scenario with its server."""


LAYERS: Mapping[Tier, frozenset[Layer]] = {
    Tier.STRONG: frozenset(Layer),
    Tier.STANDARD: frozenset(Layer) - {Layer.NAMESPACES},
    Tier.PORTABLE: frozenset(  # each as far as the system has it
        {Layer.RLIMITS, Layer.UNDUMPABLE, Layer.SUBREAPER, Layer.DIE_WITH_PARENT}
    ),
}

CONFINING = LAYERS[Tier.STRONG] - LAYERS[Tier.PORTABLE]
"""The layers that need the kernel's help: without any of them a submission is not confined."""

NOT_PREVENTED: Mapping[Tier, str] = {
    Tier.STRONG: (
        "A submission could still read the Python installation and system libraries, look at the "
        "clock, and slow its neighbours down within its limits; a hole in the kernel itself would "
        "let it out."
    ),
    Tier.STANDARD: (
        "A submission could still read the Python installation and system libraries, see which "
        "processes run and which files exist, look at the clock, and slow its neighbours down "
        "within its limits; a hole in the kernel itself would let it out."
    ),
    Tier.PORTABLE: (
        "Self-check only, marks are not secure: nothing kept a submission from reading files, "
        "using the network, starting processes, or changing other submissions and the grading "
        "itself."
    ),
}
