"""The kernel's word that a process wants to read: seccomp user notification, listener's side."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import struct
from dataclasses import dataclass

_RECEIVE = 0xC0502100
_SEND = 0xC0182101
_SET_FLAGS = 0x40082104
_SYNCHRONOUS_WAKE_UP = 1
_CONTINUE = 1
_ASKED = struct.Struct("<QIIiIQ6Q")
_ANSWER = struct.Struct("<QqiI")
_EMPTY = bytes(_ASKED.size)


@dataclass(frozen=True, slots=True)
class Asking:
    """A process `pid` waits inside a system call for the listener's leave to go on."""

    id: int
    pid: int


class Listener:
    """A filter's listener descriptor, which this object owns."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        with contextlib.suppress(OSError):  # from Linux 6.6 on; it only saves time
            fcntl.ioctl(descriptor, _SET_FLAGS, _SYNCHRONOUS_WAKE_UP)

    def receive(self) -> Asking | None:
        """The process that asks; None when it ended meanwhile."""
        asked = bytearray(_EMPTY)
        try:
            fcntl.ioctl(self.descriptor, _RECEIVE, asked)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EINTR, errno.EAGAIN):
                return None
            raise
        identity, pid, *_ = _ASKED.unpack(asked)
        return Asking(identity, pid)

    def let_go_on(self, asking: Asking) -> None:
        """Let its system call happen; nothing when it ended meanwhile, or a signal came first."""
        try:
            fcntl.ioctl(self.descriptor, _SEND, _ANSWER.pack(asking.id, 0, 0, _CONTINUE))
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EINPROGRESS):
                raise

    def close(self) -> None:
        """Give the descriptor up: whoever asks from now on is refused."""
        os.close(self.descriptor)
