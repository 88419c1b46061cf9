"""Runs the zygote in its own namespaces, with bubblewrap, and gives each submission a user id that
no other process on this machine has.
"""

import itertools
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from harness.common.errors import HarnessError
from harness.execution.confinement.layers import (
    CONFINING_TIERS,
    READABLE,
    Layer,
    ServerSetup,
    ZygoteSetup,
)
from harness.execution.folder import folders_beside
from harness.model.observation import Tier

_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")


class Namespaces(Layer):
    """Separates processes, network, mounts, host name and IPC from the machine's; for ordinary
    users also user ids.
    """

    name = "namespaces"
    tiers = frozenset({Tier.STRONG})
    order = 10

    def unavailable(self) -> str:
        """Return a reason if bubblewrap is not installed, otherwise an empty text. Only a trial
        shows whether bubblewrap may do its work here."""
        return "" if shutil.which("bwrap") else "bubblewrap (bwrap) is not installed"

    def wrap(self, command: list[str], directory: str, setup: ZygoteSetup) -> list[str]:
        """Return the command line as `Layer.wrap` does.

        Only the interpreter (the command's first word), its library, more modules, `READABLE`,
        `directory` and the scenarios' folders beside it can be seen; files can be written only in
        these folders. Open descriptors pass through. With `setup.keeps_users` the caller is root
        and stays root inside, but can only change its user and end processes: a user namespace
        would have only one user. Raise HarnessError if bubblewrap is missing.
        """
        if (program := shutil.which("bwrap")) is None:
            raise HarnessError(self.unavailable())
        prefix = Path(command[0]).parent.parent
        libraries = [f"{prefix}/lib", f"{prefix}/lib64", *setup.more_modules]
        places = dict.fromkeys([*READABLE, *libraries, directory])
        words = [program, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
        words += ["--unshare-cgroup-try", "--hostname", "harness", "--new-session", "--as-pid-1"]
        if setup.dies_with_parent:
            words.append("--die-with-parent")
        words += ["--cap-drop", "ALL"]
        if setup.keeps_users:
            for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_KILL"):
                words += ["--cap-add", capability]
        else:
            words.append("--unshare-user")
        above = {str(folder) for place in (*places, command[0]) for folder in Path(place).parents}
        for folder in sorted(above - {"/"}):  # made by --dir they are open to every user
            words += ["--dir", folder]
        for place in places:
            words += ["--dev-bind-try" if place in _DEVICES else "--ro-bind-try", place, place]
        folders = str(folders_beside(Path(directory)))
        words += ["--bind-try", folders, folders]
        words += ["--ro-bind", command[0], command[0], "--proc", "/proc", "--remount-ro", "/"]
        return [*words, "--chdir", "/", "--", *command]


_NOBODY = 65534
_FIRST_UID, _UIDS = 61184, 4000  # a range that no distribution hands out to people


def unused_uids() -> Iterator[int] | None:
    """Yield user ids without a user or a process, endlessly, so that each submission gets one.

    Yield None if there are none left: root of a user namespace may be its only user.
    """
    import pwd  # noqa: PLC0415  (Windows has none, and imports this file)

    taken = {entry.pw_uid for entry in pwd.getpwall()}
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with suppress(OSError):
                taken.add(process.stat().st_uid)
    free = [uid for uid in range(_FIRST_UID, _FIRST_UID + _UIDS) if uid not in taken]
    mapped = _mapped()
    there = [uid for uid in (*free, _NOBODY) if any(uid in ids for ids in mapped)]
    if not there:
        return None
    free = [uid for uid in there if uid != _NOBODY] or there
    start = os.getpid() % len(free)  # drivers beside this one start elsewhere
    return itertools.cycle(free[start:] + free[:start])


def _mapped() -> list[range]:
    """Return the ranges of ids that exist in this user namespace. A container may lack some."""
    try:
        lines = Path("/proc/self/uid_map").read_text("ascii").splitlines()
    except OSError:
        return [range(1 << 32)]
    numbers = [[int(part) for part in line.split()] for line in lines]
    return [range(first, first + count) for first, _, count in numbers]


class User(Layer):
    """Gives each submission its own user id. Only root can do this."""

    name = "user"
    tiers = CONFINING_TIERS
    order = 20

    def __init__(self) -> None:
        self._uids = unused_uids() if os.geteuid() == 0 else None

    def set_up_zygote(self, setup: ZygoteSetup) -> None:
        setup.keeps_users = self._uids is not None

    def set_up_server(self, setup: ServerSetup) -> None:
        setup.uid = None if self._uids is None else next(self._uids)
