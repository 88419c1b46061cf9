"""What the kernel says of processes: that one wants to read (seccomp user notification), its number
across process-id namespaces, how long it has computed, and how long it was asleep."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import struct
import sys
import time
from pathlib import Path

from harness.common.errors import HarnessError

_RECEIVE = 0xC0502100
_SEND = 0xC0182101
_SET_FLAGS = 0x40082104
_SYNCHRONOUS_WAKE_UP = 1
_CONTINUE = 1


class Listener:
    """A filter's listener descriptor, which this object owns."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        with contextlib.suppress(OSError):  # from Linux 6.6 on; it only saves time
            fcntl.ioctl(descriptor, _SET_FLAGS, _SYNCHRONOUS_WAKE_UP)

    def receive(self) -> int | None:
        """The number of a process's question, which waits inside a system call for the leave to
        go on; None when it ended meanwhile."""
        asked = bytearray(80)  # a struct seccomp_notif: its id first, then who asks for what
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
            fcntl.ioctl(self.descriptor, _SEND, struct.pack("=QqiI", question, 0, 0, _CONTINUE))
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.EINPROGRESS):
                raise

    def close(self) -> None:
        """Give the descriptor up: whoever asks from now on is refused."""
        os.close(self.descriptor)


class GoneError(HarnessError):
    """A process that was told of ended before it could be known by a number of ours."""


def resolve_pid(number: int, descriptors: list[int]) -> int:
    """This process's number for a process that was told of by another: by a pidfd where the other
    had one (the numbers differ when it runs in a namespace), else by its `number`.

    Closes the descriptors. GoneError when the process is gone already.
    """
    if not descriptors:
        return number
    try:
        lines = Path(f"/proc/self/fdinfo/{descriptors[0]}").read_text("ascii").splitlines()
        known = [int(line.split()[1]) for line in lines if line.startswith("Pid:")]
    except OSError:
        return number
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    if not known or known[0] <= 0:
        raise GoneError("a process of ours ended before it was known")
    return known[0]


_SCHEDULED = 2  # the kernel's name for "CPU time by the scheduler" in a clock id
_LOADED_MACHINE = 10  # without the kernel's count: how much slower than real time a CPU second is
_OWN_SCHEDSTAT = Path("/proc/thread-self/schedstat")
_STATE, _BORN = 0, 19  # places in /proc/PID/stat after the name


class ProcessClock:
    """The clocks of another process; seconds. It may end at any time: then they stop."""

    def __init__(self, pid: int) -> None:
        self._clock = (~pid << 3) | _SCHEDULED
        self._schedstat = Path(f"/proc/{pid}/schedstat")
        self._stat = Path(f"/proc/{pid}/stat")
        self._cpu = 0.0
        self._asleep = 0.0
        self._own_queued = _queued(_OWN_SCHEDSTAT)

    def cpu(self) -> float:
        with contextlib.suppress(OSError):
            self._cpu = time.clock_gettime(self._clock)
        return self._cpu

    def asleep(self, elapsed: float) -> float:
        """Of `elapsed` seconds of its life at most, those it neither ran nor waited for a CPU; nor
        we, who may keep it waiting."""
        cpu = self.cpu()
        queued = _queued(self._schedstat)
        if queued is None:
            return elapsed / _LOADED_MACHINE
        age, runnable = elapsed, False
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = self._stat.read_text("utf-8", "replace").rpartition(")")[2].split()
            born = int(fields[_BORN]) / os.sysconf("SC_CLK_TCK")
            age = time.clock_gettime(time.CLOCK_BOOTTIME) - born
            runnable = fields[_STATE] == "R"
        # How long it has been waiting for a CPU now is counted only once it has got one.
        if not runnable:
            ours = (_queued(_OWN_SCHEDSTAT) or 0.0) - (self._own_queued or 0.0)
            self._asleep = min(elapsed, age) - cpu - queued - ours
        return self._asleep


def _queued(schedstat: Path) -> float | None:
    """The seconds a process or thread has waited for a CPU; None where that is not counted."""
    try:
        return int(schedstat.read_text("ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return None
