"""The terminal that a scenario runs on.

A line is typed when the program asks for it and at no other time, so there are no delays here.
"""

from __future__ import annotations

import fcntl
import functools
import os
import select
import struct
import termios
from typing import Any

from harness.execution.protocol.screen import ScreenParser
from harness.model.stimulus import Key, Typed

CHUNK = 65536
_OFF = b"\0"
_SIZE = struct.pack("HHHH", 24, 80, 0, 0)
_KEYS = {Key.CTRL_C: b"\x03", Key.CTRL_D: b"\x04"}


class PseudoTerminal:
    """A new pseudo-terminal: the master's side, and the slave to hand to a process.

    Echo and output processing are off; input comes by lines, Ctrl-C and Ctrl-D work.
    """

    def __init__(self, screen: ScreenParser) -> None:
        self.screen = screen
        self.finished = False
        self.child_fd, self.slave = os.openpty()
        self.closed = False
        os.set_blocking(self.child_fd, False)
        _prepare(self.slave)
        self._readable = select.poll()
        self._readable.register(self.slave, select.POLLIN)
        self._printed = select.poll()
        self._printed.register(self.child_fd, select.POLLIN)

    def drain(self, limit: int) -> bool:
        """Take all that was printed until now; False when it is more than `limit` bytes."""
        raw = self.screen.raw
        while True:
            try:
                data = os.read(self.child_fd, CHUNK)
            except OSError:  # nothing is there, or the slave's side is closed
                break
            raw += data
            if len(raw) > limit and self.screen.exceeds(limit):
                return False
            if not data or not self._printed.poll(0):
                break
        return True

    def has_unread_input(self) -> bool:
        """Whether something typed was not read yet (an end of input counts)."""
        return bool(self._readable.poll(0))

    def send_typed(self, typed: Typed) -> None:
        """Press a key, or type a line and Enter."""
        if typed.key is not None:
            data = _KEYS[typed.key]
        else:
            data = typed.text.encode("utf-8", "surrogateescape") + b"\n"
        os.write(self.child_fd, data)

    def remember_typed(self, typed: Typed) -> None:
        """It was typed at this place of the screen, as far as it is drained."""
        self.screen.typed.append((len(self.screen.raw), typed))

    def finish(self) -> None:
        """Nothing more will be printed."""
        self.finished = True

    def close(self) -> None:
        """Give up both sides."""
        if not self.closed:
            os.close(self.child_fd)
            os.close(self.slave)
            self.closed = True


def open_pty(screen: ScreenParser) -> PseudoTerminal:
    """A terminal that people can also `expect` things of, where pexpect is installed."""
    try:
        from harness.execution.linux.pexpect_terminal import Terminal  # noqa: PLC0415  (needs this module)
    except ImportError:
        return PseudoTerminal(screen)
    return Terminal(screen)


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
