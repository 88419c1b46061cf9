"""What would confine submissions better on this machine: packages and settings by name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from harness.execution.confinement.layers import namespaces, seccomp
from harness.execution.confinement.probe import TierTrial
from harness.model.observation import Tier

_SETTINGS = (
    ("user/max_user_namespaces", "0", "user.max_user_namespaces=10000"),
    ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "kernel.apparmor_restrict_unprivileged_userns=0 (or give bwrap an AppArmor profile)",
    ),
)


def remedies(trials: Sequence[TierTrial]) -> tuple[str, ...]:
    """One line for each thing that the trials of all tiers found missing."""
    if not sys.platform.startswith("linux"):
        return ("grade on Linux: this system offers no confinement that the harness knows",)
    failed = {trial.tier for trial in trials if trial.shortcoming}
    lines: list[str] = []
    if Tier.STANDARD in failed:
        lines += _for_standard()
    elif Tier.STRONG in failed:  # it has all of the standard tier in it
        lines += _for_strong()
    if any(trial.input_mechanism.startswith("standard input") for trial in trials[:-1]):
        lines.append(
            "the kernel does not tell of reads here, most likely since a container runtime "
            "listens itself: a program that reads past sys.stdin is not given its input"
        )
    return tuple(lines)


def _for_standard() -> list[str]:
    if seccomp.available():
        return [
            "for the standard tier: install libseccomp (Debian, Ubuntu: libseccomp2; elsewhere "
            "libseccomp) and the Python package pyseccomp"
        ]
    return [
        "for the standard tier: Linux 6.2 or later with Landlock among its security modules (the "
        "boot option lsm=landlock,… adds it), and in a container a runtime that lets processes "
        "use Landlock and install seccomp filters"
    ]


def _for_strong() -> list[str]:
    if namespaces.unavailable():
        return ["for the strong tier: install bubblewrap (the package is named so everywhere)"]
    refused = [fix for name, value, fix in _SETTINGS if _setting(name) == value]
    if refused:
        return [f"for the strong tier: sysctl -w {fix}" for fix in refused]
    return [
        "for the strong tier: bubblewrap must be allowed to make namespaces. A container seldom "
        "allows it: grade on the host itself, or stay with the standard tier"
    ]


def _setting(name: str) -> str:
    try:
        return Path("/proc/sys", name).read_text("ascii").strip()
    except OSError:
        return ""
