"""The base server in namespaces of its own, by bubblewrap.

User ids for submissions to run under, which nobody on this machine has.
"""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from harness.common.errors import HarnessError

_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")


def unavailable() -> str:
    """Empty when bubblewrap is installed; whether it may do its work here, only a try tells."""
    return "" if shutil.which("bwrap") else "bubblewrap (bwrap) is not installed"


def wrapped(
    command: list[str],
    *,
    readable: Iterable[str],
    directory: str,
    keeps_users: bool,
    dies_with_parent: bool,
) -> list[str]:
    """The command line that runs `command` (its first word the interpreter's path) in new
    namespaces, where nothing can be written and only the interpreter, `readable` and `directory`
    are there. Descriptors that are open pass through.

    `keeps_users`: the caller is root and stays so inside, able to change its user and to end what
    runs there, and nothing else: each submission becomes a user of its own. In a user namespace
    there would be only one. HarnessError when bubblewrap has gone.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise HarnessError(unavailable())
    prefix = Path(command[0]).parent.parent
    places = dict.fromkeys([*readable, f"{prefix}/lib", f"{prefix}/lib64", directory])
    words = [program, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--hostname", "harness", "--new-session", "--as-pid-1"]
    if dies_with_parent:
        words.append("--die-with-parent")
    words += ["--cap-drop", "ALL"]
    if keeps_users:
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_KILL"):
            words += ["--cap-add", capability]
    else:
        words.append("--unshare-user")
    for folder in _above([*places, command[0]]):  # made by --dir they are open to every user
        words += ["--dir", folder]
    for place in places:
        words += ["--dev-bind-try" if place in _DEVICES else "--ro-bind-try", place, place]
    words += ["--ro-bind", command[0], command[0], "--proc", "/proc", "--remount-ro", "/"]
    return [*words, "--chdir", "/", "--", *command]


def _above(places: Iterable[str]) -> list[str]:
    folders = {str(folder) for place in places for folder in Path(place).parents}
    return sorted(folders - {"/"})


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
    there = [uid for uid in (*free, _NOBODY) if any(a <= uid < end for a, end in mapped)]
    if not there:
        return None
    free = [uid for uid in there if uid != _NOBODY] or there
    start = os.getpid() % len(free)  # drivers beside this one start elsewhere
    return itertools.cycle(free[start:] + free[:start])


def _mapped() -> list[tuple[int, int]]:
    """The ids that this user namespace has at all, as ranges (in a container not all of them)."""
    try:
        lines = Path("/proc/self/uid_map").read_text("ascii").splitlines()
    except OSError:
        return [(0, 1 << 32)]
    ranges = [[int(part) for part in line.split()] for line in lines]
    return [(first, first + count) for first, _, count in ranges]
