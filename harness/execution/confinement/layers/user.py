"""A user id of its own for each submission, which nobody on this machine has."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

from harness.execution.confinement.layers import CONFINING_TIERS, BaseSetup, Layer, ServerSetup

_NOBODY = 65534
_FIRST_UID, _UIDS = 61184, 4000  # a range that no distribution hands out to people


def unused_uids() -> Iterator[int] | None:
    """User ids that nobody has and no process runs under, over and over: one a submission.

    None where there are no others at all: root of a user namespace may be its only user.
    """
    import pwd  # noqa: PLC0415  (Windows has none, and imports this file)

    taken = {entry.pw_uid for entry in pwd.getpwall()}
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                taken.add(process.stat().st_uid)
            except OSError:
                continue
    free = [uid for uid in range(_FIRST_UID, _FIRST_UID + _UIDS) if uid not in taken]
    mapped = _mapped()
    there = [uid for uid in (*free, _NOBODY) if any(uid in each for each in mapped)]
    if not there:
        return None
    free = [uid for uid in there if uid != _NOBODY] or there
    start = os.getpid() % len(free)  # drivers beside this one start elsewhere
    return itertools.cycle(free[start:] + free[:start])


def _mapped() -> list[range]:
    """The ids that this user namespace has at all (in a container not all of them)."""
    try:
        lines = Path("/proc/self/uid_map").read_text("ascii").splitlines()
    except OSError:
        return [range(1 << 32)]
    numbers = [[int(part) for part in line.split()] for line in lines]
    return [range(first, first + count) for first, _, count in numbers]


class User(Layer):
    """A user id of its own for each submission, where root runs this; others have none to give."""

    name = "user"
    tiers = CONFINING_TIERS
    order = 20

    def __init__(self) -> None:
        self._uids = unused_uids() if os.geteuid() == 0 else None

    def set_up_base(self, setup: BaseSetup) -> None:
        setup.keeps_users = self._uids is not None

    def set_up_server(self, setup: ServerSetup) -> None:
        setup.uid = None if self._uids is None else next(self._uids)
