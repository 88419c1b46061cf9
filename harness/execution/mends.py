"""What would confine submissions better on this machine: packages and settings by name."""

from __future__ import annotations

import importlib
import sys

from harness.execution.probing import TierChoice
from harness.model.result import Tier


def mends(choice: TierChoice) -> tuple[str, ...]:
    """One line for each thing that is missing; empty where nothing is."""
    if not sys.platform.startswith("linux"):
        return ("grade on Linux: this system offers no confinement that the harness knows",)
    lines: list[str] = []
    if choice.tier is Tier.PORTABLE:
        if not _has_libseccomp():
            lines.append(
                "install libseccomp (libseccomp2 on Debian and Ubuntu, libseccomp elsewhere)"
            )
        failed = ", ".join(probe.name for probe in choice.probes if not probe.prevented)
        if failed:
            lines.append(
                f"not prevented: {failed}. The standard tier needs Linux 6.2 or later, Landlock "
                "among its security modules (the boot option lsm=landlock,… adds it), and a "
                "container runtime that lets processes install seccomp filters"
            )
    return tuple(lines)


def _has_libseccomp() -> bool:
    try:
        importlib.import_module("pyseccomp")  # importing it loads the system's library
    except (ImportError, OSError, RuntimeError):
        return False
    return True
