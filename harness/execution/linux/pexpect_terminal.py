"""The terminal of a scenario: pexpect's `fdspawn` on a pseudo-terminal.

pexpect's delays are switched off, and its patterns are not used, because they are slow for large
outputs.
"""

import os
import select
import shutil
import signal
import termios
from collections.abc import Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

from harness.execution.protocol.screen import ScreenParser
from harness.model.stimulus import Key, Typed

try:
    from pexpect import EOF, TIMEOUT
    from pexpect.fdpexpect import fdspawn
except ImportError:  # in the self-check file, which has the standard library only
    from harness.execution.linux.without_pexpect import (  # type: ignore[assignment]
        EOF,
        TIMEOUT,
        fdspawn,
    )

if TYPE_CHECKING:
    _FdSpawn = fdspawn[bytes]
else:
    _FdSpawn = fdspawn

CHUNK = 65536
_KEYS = {Key.CTRL_C: b"\x03", Key.CTRL_D: b"\x04"}


class Terminal(_FdSpawn):
    """A new pseudo-terminal with all of pexpect's methods, in bytes.

    `slave` is the side for the process. All printed bytes are recorded on `screen`. Reading raises
    EOF when no process holds the slave side any more: after `finish` and the end of the process.
    """

    def __init__(self, screen: ScreenParser) -> None:
        master, self.slave = open_pty()
        os.set_blocking(master, False)
        super().__init__(master, timeout=1, maxread=CHUNK, use_poll=True)
        self.delayafterread = None
        self.screen = screen
        self._unread = select.poll()
        self._unread.register(self.slave, select.POLLIN)

    def read_nonblocking(self, size: int = 1, timeout: float | None = -1) -> bytes:
        """Return printed bytes.

        As pexpect does, raise TIMEOUT if there are none and EOF at the end.
        """
        if timeout == 0:  # without asking the kernel first, as `fdspawn` does
            try:
                data = super(fdspawn, self).read_nonblocking(size)
            except BlockingIOError:
                raise TIMEOUT("nothing is there") from None
        else:
            data = super().read_nonblocking(size, timeout)
        self.screen.raw += data
        return data

    def drain(self, limit: int) -> bool:
        """Read all bytes printed so far. Return False if there are more than `limit`."""
        raw = self.screen.raw
        try:
            while len(raw) <= limit or not self.screen.exceeds(limit):
                self.read_nonblocking(CHUNK, timeout=0)
        except (EOF, TIMEOUT):
            return True
        return False

    def has_unread_input(self) -> bool:
        """Return whether typed input has not been read yet (an end of input counts as input)."""
        return bool(self._unread.poll(0))

    def send_typed(self, typed: Typed) -> None:
        if typed.key is not None:
            self.send(_KEYS[typed.key])
        else:
            self.send(typed.text.encode("utf-8", "surrogateescape") + b"\n")

    def finish(self) -> None:
        """Close our copy of the slave side, so that EOF follows after the printed bytes."""
        if self.slave >= 0:
            os.close(self.slave)
            self.slave = -1

    def close(self) -> None:
        super().close()
        self.finish()


def open_pty() -> tuple[int, int]:
    """Open a pseudo-terminal. Return the descriptors of its master side and its slave side.

    It has no echo and no output processing, reads by lines, and handles Ctrl-C and Ctrl-D. Raise
    OSError if the system has no more terminals.
    """
    master, slave = os.openpty()
    control: list[Any] = [b"\0"] * len(termios.tcgetattr(slave)[6])
    control[termios.VINTR] = b"\x03"
    control[termios.VEOF] = b"\x04"
    control[termios.VMIN] = b"\x01"
    flags = termios.CS8 | termios.CREAD
    local = termios.ICANON | termios.ISIG | termios.NOFLSH
    speed = termios.B38400
    modes: list[Any] = [0, 0, flags, local, speed, speed, control]
    termios.tcsetattr(slave, termios.TCSANOW, modes)
    termios.tcsetwinsize(slave, (24, 80))
    return master, slave


def _end_at_hangup() -> None:
    """Let SIGHUP end this process, also if it was started below `nohup`, which ignores it."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def attach_terminal(command: Sequence[str]) -> int:
    """Run a command to its end, connected to the user's terminal with pexpect's `interact`. Return
    its exit status.

    If the user's terminal is closed (SIGHUP), close the command's terminal too.
    """
    import pexpect  # noqa: PLC0415  (the self-check file, which has none, attaches nothing)

    columns, rows = shutil.get_terminal_size()
    child = pexpect.spawn(
        command[0],
        list(command[1:]),
        timeout=None,
        dimensions=(rows, columns),
        encoding=None,
        preexec_fn=_end_at_hangup,
    )

    def closed(number: int, frame: FrameType | None) -> None:
        raise OSError("your terminal was closed")

    def typed(data: bytes) -> bytes:
        # In raw mode every key is a byte. A process that this terminal does not control gets no
        # SIGHUP, only this end of the input, again and again.
        if not data:
            raise OSError("your terminal was closed")
        return data

    before = signal.signal(signal.SIGHUP, closed)
    try:
        try:
            # The stub knows a filter of text only.
            child.interact(escape_character=None, input_filter=typed)  # type: ignore[arg-type]
        except (OSError, termios.error):
            # SIGHUP may arrive only after the end was noticed: it must not interrupt the rest.
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            child.kill(signal.SIGHUP)
        child.wait()
    finally:
        signal.signal(signal.SIGHUP, before)
    return child.exitstatus if child.exitstatus is not None else 128 + (child.signalstatus or 0)
