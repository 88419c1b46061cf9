"""A command of ours on a terminal of its own, to which the user's terminal is connected."""

from __future__ import annotations

import shutil
import signal
import termios
from collections.abc import Sequence
from types import FrameType

import pexpect


class _ClosedError(Exception):
    """The user's terminal was closed."""


def attach_terminal(command: Sequence[str]) -> int:
    """Run a command until it ends, typing and showing through pexpect's `interact`; its exit
    status. When the user's terminal is closed, so is the command's, as SIGHUP tells it."""
    columns, rows = shutil.get_terminal_size()
    child = pexpect.spawn(
        command[0], list(command[1:]), timeout=None, dimensions=(rows, columns), encoding=None
    )

    def closed(number: int, frame: FrameType | None) -> None:
        raise _ClosedError

    before = signal.signal(signal.SIGHUP, closed)
    try:
        try:
            child.interact(escape_character=None)
        except (_ClosedError, OSError, termios.error):
            # Its word may come after the terminal's end was noticed otherwise.
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            child.kill(signal.SIGHUP)
        child.wait()
    finally:
        signal.signal(signal.SIGHUP, before)
    return child.exitstatus if child.exitstatus is not None else 128 + (child.signalstatus or 0)
