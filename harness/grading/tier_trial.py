"""The trial of a tier, kept until the machine starts again.

Trying every forbidden act takes most of a second, and comes out the same until the kernel, the
interpreter, this user's rights or the harness change. A student's check uses the last trial; a run
that gives marks tries anew.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from harness.common import files, serial
from harness.common.digests import source_digest
from harness.execution import Interpreter, TierTrial, choose_tier

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def recalled_tier(interpreter: Interpreter, cache: Path) -> TierTrial:
    """The best tier of this machine, from the last trial where nothing has changed since.

    The trial is kept in the folder `cache`. One that another user could have written is not
    believed. Raises HarnessError as `choose_tier`.
    """
    boot = _boot()
    if boot is None:
        return choose_tier(interpreter)
    name = sha256("\0".join([boot, *_circumstances(interpreter)]).encode()).hexdigest()
    path = cache / "tiers" / f"{name}.json"
    known = _read(path)
    if known is None:
        known = choose_tier(interpreter)
        _keep(path, serial.dumps(known))
    return known


def _boot() -> str | None:
    """What names this start of this kernel; None where nothing does."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    except OSError:
        return None


def _circumstances(interpreter: Interpreter) -> Iterator[str]:
    """All that the outcome of a trial may depend on within one start of the machine."""
    yield from os.uname()
    yield f"{os.geteuid()} {os.getegid()}"
    yield f"{interpreter.path} {interpreter.build} {_stamp(interpreter.path)}"
    yield source_digest("execution")
    yield os.environ.get("PATH", "")  # where bubblewrap is looked for
    for program in (Path(folder) / "bwrap" for folder in os.get_exec_path()):
        yield _stamp(program)
    yield _rights()


def _rights() -> str:
    """Capabilities, filters and namespaces of this process: a container has fewer of them."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        spaces = sorted(str(entry.readlink()) for entry in Path("/proc/self/ns").iterdir())
    except OSError:
        return ""
    wanted = ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp:")
    return "\n".join([*(line for line in status if line.startswith(wanted)), *spaces])


def _stamp(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{found.st_ino} {found.st_size} {found.st_mtime_ns}"


def _read(path: Path) -> TierTrial | None:
    """A trial that this user kept; None where there is none, or another user could have written
    it."""
    try:
        folder = path.parent.stat()
        if folder.st_uid != os.geteuid() or folder.st_mode & _OTHERS_WRITE:
            return None
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(file.fileno())
            if found.st_uid != os.geteuid() or found.st_mode & _OTHERS_WRITE:
                return None
            trial = serial.loads(TierTrial, file.read())
    except (OSError, serial.SerialError):
        return None
    return None if trial.shortcoming else trial


def _keep(path: Path, text: str) -> None:
    """Write it for this user alone; what cannot be kept is tried again the next time."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in path.parent.glob("*.json"):
            old.unlink(missing_ok=True)  # of an earlier start, interpreter or harness
        files.write(path, text, private=True)
    except OSError:
        return
