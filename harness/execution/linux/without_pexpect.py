"""Replaces the part of pexpect's `fdspawn` that the monitor uses, with the same names and meaning.

Only the self-check file that students run needs it: that file can use only the standard library.
"""

import os
import select


class EOF(Exception):  # noqa: N818 - pexpect's name
    """Raised when no process holds the terminal's other side any more."""


class TIMEOUT(Exception):  # noqa: N818 - pexpect's name
    """Raised when no bytes came in time."""


class SpawnBase:
    """Reads bytes from a descriptor."""

    child_fd: int

    def read_nonblocking(self, size: int = 1, timeout: float | None = None) -> bytes:
        """Return up to `size` available bytes. Raise EOF at the end. `timeout` is ignored."""
        try:
            data = os.read(self.child_fd, size)
        except BlockingIOError:
            raise
        except OSError:  # how Linux says that the other side is closed
            data = b""
        if not data:
            raise EOF("the other side is closed")
        return data


class fdspawn(SpawnBase):  # noqa: N801 - pexpect's name
    """Reads bytes from a descriptor and writes to it."""

    def __init__(self, fd: int, *, timeout: float, maxread: int, use_poll: bool) -> None:
        self.child_fd = fd
        self.timeout = timeout
        self.maxread = maxread
        self.delayafterread: float | None = None
        self._readable = select.poll()
        self._readable.register(fd, select.POLLIN)

    def send(self, s: bytes) -> int:
        """Write these bytes. Return the number of bytes written."""
        return os.write(self.child_fd, s)

    def read_nonblocking(self, size: int = 1, timeout: float | None = -1) -> bytes:
        """Return up to `size` bytes. Raise TIMEOUT if none come within `timeout` seconds (-1: the
        default `self.timeout`, None: wait for ever)."""
        seconds = self.timeout if timeout == -1 else timeout
        if not self._readable.poll(None if seconds is None else seconds * 1000):
            raise TIMEOUT("nothing came in time")
        return super().read_nonblocking(size)

    def close(self) -> None:
        if self.child_fd != -1:
            os.close(self.child_fd)
            self.child_fd = -1
