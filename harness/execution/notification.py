"""The kernel's word that a process wants to read: seccomp user notification, listener's side."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import struct
import sys

_RECEIVE = 0xC0502100
_SEND = 0xC0182101
_SET_FLAGS = 0x40082104
_SYNCHRONOUS_WAKE_UP = 1
_CONTINUE = 1
_ANSWER = struct.Struct("=QqiI")
_EMPTY = bytes(80)  # a struct seccomp_notif: its id first, then who asks for what


class Listener:
    """A filter's listener descriptor, which this object owns."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        with contextlib.suppress(OSError):  # from Linux 6.6 on; it only saves time
            fcntl.ioctl(descriptor, _SET_FLAGS, _SYNCHRONOUS_WAKE_UP)

    def receive(self) -> int | None:
        """The number of a process's question, which waits inside a system call for the leave to
        go on; None when it ended meanwhile."""
        asked = bytearray(_EMPTY)
        try:
            fcntl.ioctl(self.descriptor, _RECEIVE, asked)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EINTR, errno.EAGAIN):
                return None
            raise
        return int.from_bytes(asked[:8], sys.byteorder)

    def let_go_on(self, question: int) -> None:
        """Let its system call happen; nothing when it ended meanwhile, or a signal came first."""
        try:
            fcntl.ioctl(self.descriptor, _SEND, _ANSWER.pack(question, 0, 0, _CONTINUE))
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EINPROGRESS):
                raise

    def close(self) -> None:
        """Give the descriptor up: whoever asks from now on is refused."""
        os.close(self.descriptor)
