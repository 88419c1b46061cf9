"""A pseudo-terminal as scenarios get it: no echo, no output processing, input by lines."""

from __future__ import annotations

import fcntl
import functools
import os
import struct
import termios
from typing import Any

_OFF = b"\0"
_SIZE = struct.pack("HHHH", 24, 80, 0, 0)


def open_pty() -> tuple[int, int]:
    """The master's side, and the slave's to hand to a process. Ctrl-C and Ctrl-D work; OSError
    when the system has no more terminals."""
    master, slave = os.openpty()
    _prepare(slave)
    return master, slave


@functools.cache
def _modes_of_a_new_one() -> list[Any]:
    master, slave = os.openpty()
    try:
        return termios.tcgetattr(slave)
    finally:
        os.close(master)
        os.close(slave)


def _prepare(slave: int) -> None:
    control: list[Any] = [_OFF] * len(_modes_of_a_new_one()[6])
    control[termios.VINTR] = b"\x03"
    control[termios.VEOF] = b"\x04"
    control[termios.VMIN] = b"\x01"
    flags = termios.CS8 | termios.CREAD
    local = termios.ICANON | termios.ISIG | termios.NOFLSH
    speed = termios.B38400
    modes: list[Any] = [0, 0, flags, local, speed, speed, control]
    termios.tcsetattr(slave, termios.TCSANOW, modes)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, _SIZE)
