"""The stream socket between the driver and one scenario's process, the driver's side."""

from __future__ import annotations

import os
import socket
import struct

from harness.common.errors import HarnessError
from harness.execution.inside.messages.frames import framed

CHUNK = 1 << 16  # bytes taken at once at most
_PATIENCE = 20.0  # seconds for a process of ours to take its job


class ScenarioChannel:
    """A socket pair that lives for one scenario.

    Only that scenario's process holds the other end, so that nothing it writes can be read for
    another scenario, and nothing of its job passes through the server that it is forked from. A
    socket, unlike a pipe, cannot be opened again for reading: what was said stays said.
    """

    def __init__(self) -> None:
        self._ours, self._theirs = socket.socketpair()
        self._ours.settimeout(_PATIENCE)  # of sending; the descriptor itself does not block

    def fileno(self) -> int:
        """The driver's end."""
        return self._ours.fileno()

    @property
    def process_end(self) -> int:
        """The end to pass to the scenario's process."""
        return self._theirs.fileno()

    def send(self, message: bytes) -> None:
        """Pass one message to the process, whose end is given up here before the first one.

        A process that has ended already takes none; HarnessError when one does not read.
        """
        self._theirs.close()
        try:
            self._ours.sendall(framed(message))
        except (TimeoutError, BlockingIOError):
            raise HarnessError("a scenario's process does not take its job") from None
        except OSError:  # it has ended: its server tells how
            return

    def wait_in_kernel(self, seconds: float) -> None:
        """From now on `receive` may be called: it waits in the kernel, up to so many seconds."""
        self._ours.setblocking(True)
        self._ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(_PATIENCE))
        self._ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(seconds))

    def receive(self) -> bytes | None:
        """What the process wrote; none when it has ended, None when it wrote nothing for a
        while."""
        try:
            return self._ours.recv(CHUNK)
        except BlockingIOError:
            return None
        except OSError:  # ended with something unread, after its last words
            return b""

    def read(self) -> bytes:
        """Up to 64 KiB of what the process wrote; none when nothing is there, or it has ended."""
        try:
            return os.read(self._ours.fileno(), CHUNK)
        except OSError:  # BlockingIOError; or ended with something unread, after its last words
            return b""

    def close(self) -> None:
        """Give up both ends."""
        self._theirs.close()
        self._ours.close()


def _timeval(seconds: float) -> bytes:
    return struct.pack("ll", int(seconds), int(seconds % 1 * 1e6))
