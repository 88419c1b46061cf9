"""Tells whether a confined process waits for something that only the process itself could bring,
by its present system call and the descriptors in that call.

The kernel reports these to root, and to the user who made the process's namespaces.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from harness.execution.confinement.layers.seccomp import numbers_of

_ON_ONE_DESCRIPTOR = (
    "read", "readv", "write", "writev", "recvfrom", "recvmsg", "sendto", "sendmsg",
)  # fmt: skip
_EPOLLS = ("epoll_wait", "epoll_pwait")
_SELECTS = ("select", "pselect6")
_POLLS = ("poll", "ppoll")
# For each system call, the index of the argument with its time limit.
_TIMES = {"epoll_wait": 3, "epoll_pwait": 3, "select": 4, "pselect6": 4, "poll": 2, "ppoll": 2}
_IN_MILLISECONDS = ("epoll_wait", "epoll_pwait", "poll")  # others point to a time; 0: none is there
_SIGN = 0x80000000  # of an int: it waits without end
_WAITS_FOR_EVENT = "S"
_MAX_DESCRIPTORS = 1 << 10
_POLLED = struct.Struct("=ihh")  # a struct pollfd: descriptor, events asked for, events found


def waits_for_itself(pid: int, ours: frozenset[int]) -> bool:
    """Return whether a process waits for ever for pipes or sockets that no other process holds.
    The process has one thread, no child and no timer.

    `ours` are the inodes of the pipes and sockets that the driver holds. Return False if the kernel
    gives no answer.
    """
    process = Path("/proc", str(pid))
    try:
        number, *arguments = (process / "syscall").read_text("ascii").split()
        state = (process / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0]
        call = int(number)
        values = [int(argument, 16) for argument in arguments]
    except (OSError, ValueError, IndexError):  # it ended, it runs, or we may not know
        return False
    name = _names().get(call, "")
    if not name or state != _WAITS_FOR_EVENT:
        return False
    if name in _TIMES and not _is_endless(name, values[_TIMES[name]]):
        return False
    return name in _EPOLLS or waits_for_its_own(pid, call, values, ours)


def waits_for_its_own(pid: int, call: int, arguments: Sequence[int], ours: frozenset[int]) -> bool:
    """Return whether every descriptor in this system call belongs only to the process: pipes and
    sockets whose inodes are not in `ours`. Return False if the kernel gives no answer.
    """
    name = _names().get(call, "")
    try:
        if name in _SELECTS:
            descriptors = _selected(pid, arguments)
        elif name in _POLLS:
            descriptors = _polled(pid, arguments)
        else:
            descriptors = {arguments[0]}
        return _are_its_own(pid, descriptors, ours)
    except (OSError, ValueError, OverflowError):
        return False


def _is_endless(name: str, time: int) -> bool:
    if name in _IN_MILLISECONDS:
        return bool(time & _SIGN)
    return time == 0


def _are_its_own(pid: int, descriptors: Iterable[int], ours: frozenset[int]) -> bool:
    for descriptor in descriptors:
        target = str(Path(f"/proc/{pid}/fd/{descriptor}").readlink())
        kind, found, inode = target.rstrip("]").partition(":[")
        if not found or kind not in ("pipe", "socket") or int(inode) in ours:
            return False
    return True


def _selected(pid: int, arguments: Sequence[int]) -> set[int]:
    """Return the descriptors that a call of `select` waits for, from its three bit sets in the
    process's memory. A set at the address 0 does not exist.
    """
    count, *sets = arguments[:4]
    size = (_count_of(count) + 7) // 8
    bits = 0
    for address in sets:
        if address:
            bits |= int.from_bytes(_memory(pid, address, size), "little")
    return set(_places(bits & ((1 << count) - 1)))


def _places(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _polled(pid: int, arguments: Sequence[int]) -> set[int]:
    """Return the descriptors that a call of `poll` waits for, from the array in the process's
    memory. Negative ones are ignored.
    """
    address, count = arguments[:2]
    data = _memory(pid, address, _count_of(count) * _POLLED.size)
    return {descriptor for descriptor, _, _ in _POLLED.iter_unpack(data) if descriptor >= 0}


def _count_of(count: int) -> int:
    if count > _MAX_DESCRIPTORS:
        raise ValueError("more descriptors than a process may have")
    return count


def _memory(pid: int, address: int, size: int) -> bytes:
    with Path("/proc", str(pid), "mem").open("rb", buffering=0) as memory:
        memory.seek(address)
        data = memory.read(size)
    if len(data) != size:
        raise ValueError("these bytes are not there")
    return data


@functools.cache
def _names() -> Mapping[int, str]:
    return numbers_of((*_ON_ONE_DESCRIPTOR, *_EPOLLS, *_SELECTS, *_POLLS))
