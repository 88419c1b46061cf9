"""Acts that a confined submission must not be able to do. Each function returns normally only if
the act succeeded.

This file is never imported here. A server gets it as if a student wrote it, after definitions of
PLACE (a folder) and DRIVER (a process id).
"""
# Written as a student might; each act is what its name says.
# ruff: noqa: D103, PTH108, PTH123, PTH208
# mypy: disable-error-code="return, func-returns-value"

import _thread
import ctypes
import fcntl
import importlib
import os
import resource
import signal
import socket
import time
from collections.abc import Callable

PLACE = globals().get("PLACE", "")
DRIVER = globals().get("DRIVER", 0)
TIOCSTI = 0x5412
PTRACE_SEIZE = 0x4206  # unlike an attachment it does not stop the driver, should it succeed
UNMOUNT_LATER, NEW_USER_NAMESPACE = 2, 0x10000000
CREATE, REMOVE = 0o1000, 0
COMPUTED = 2  # of a clock's number: the time that a process computed
PROCESS_KEYRING, IO_URING_SETUP = -2, 425
ADD_KEY = {"x86_64": 248, "armv7l": 309, "ppc64le": 269}.get(os.uname().machine, 217)
libc = ctypes.CDLL(None, use_errno=True)


def done(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def read(path: str) -> None:
    with open(path, "rb") as file:
        file.read()


def write(path: str) -> None:
    with open(path, "w"):
        os.unlink(path)


def reach(path: str, flags: int = os.O_RDONLY) -> None:
    os.close(os.open(path, flags))


def connect(name: str) -> None:
    os.chdir(PLACE)  # its whole name may be longer than the name of a socket may be
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(name)


def with_library(act: Callable[[int], object]) -> None:
    file = os.open(importlib.__file__, os.O_RDONLY)
    act(file)
    os.close(file)


def run(program: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.execv(program, [program])


def mount() -> None:
    done(libc.mount(b"probe", PLACE.encode(), b"tmpfs", 0, None))
    libc.umount2(PLACE.encode(), UNMOUNT_LATER)


ACTS: dict[str, Callable[[], object]] = {
    "read a file outside": lambda: read(PLACE + "/canary"),
    "list a folder outside": lambda: os.listdir(PLACE),
    "write a file outside": lambda: write("/var/tmp/harness-probe"),
    "write a file in its folder": lambda: write("probe"),
    "write to shared memory": lambda: write("/dev/shm/harness-probe"),
    "make System V shared memory": lambda: libc.shmctl(
        done(libc.shmget(0, 1, CREATE)), REMOVE, None
    ),
    "read the driver's memory": lambda: reach(f"/proc/{DRIVER}/mem"),
    "read the driver's environment": lambda: reach(f"/proc/{DRIVER}/environ"),
    "read the driver's command line": lambda: read(f"/proc/{DRIVER}/cmdline"),
    "read its server's memory": lambda: reach(f"/proc/{os.getppid()}/mem"),
    "trace the driver": lambda: done(libc.ptrace(PTRACE_SEIZE, DRIVER, None, None)),
    "signal the driver": lambda: os.kill(DRIVER, 0),
    "signal its server": lambda: os.kill(os.getppid(), 0),
    "change the driver's limits": lambda: resource.prlimit(DRIVER, resource.RLIMIT_NOFILE),
    "change the driver's priority": lambda: os.setpriority(
        os.PRIO_PROCESS, DRIVER, os.getpriority(os.PRIO_PROCESS, DRIVER)
    ),
    "change its own limits": lambda: resource.setrlimit(
        resource.RLIMIT_NOFILE, resource.getrlimit(resource.RLIMIT_NOFILE)
    ),
    "choose its processor": lambda: os.sched_setaffinity(0, {0}),
    "lock a file": lambda: with_library(lambda file: fcntl.flock(file, fcntl.LOCK_SH)),
    "lock a part of a file": lambda: with_library(
        lambda file: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    ),
    "put a file out of memory": lambda: with_library(
        lambda file: os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    ),
    "ask which pages are in memory": lambda: done(
        libc.mincore(ctypes.c_void_p(0), 0, ctypes.create_string_buffer(1))
    ),
    "read its server's clock": lambda: time.clock_gettime((~os.getppid() << 3) | COMPUTED),
    "read how full a disk is": lambda: os.fstatvfs(0),
    "start a process": lambda: os.fork() or os._exit(0),
    "start a thread": lambda: _thread.start_new_thread(len, ("",)),
    "run a program": lambda: run("/bin/true"),
    "become another user": lambda: os.setuid(0 if os.getuid() else 1),
    "open a UDP socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "open a TCP socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
    "connect to a Unix socket": lambda: connect("socket"),
    "open a terminal": lambda: reach("/dev/ptmx", os.O_RDWR),
    "type into its terminal": lambda: done(libc.ioctl(0, TIOCSTI, b"x")),
    "mount a file system": mount,
    "make a namespace": lambda: done(libc.unshare(NEW_USER_NAMESPACE)),
    "use the kernel's keys": lambda: done(
        libc.syscall(ADD_KEY, b"user", b"harness-probe", b"x", 1, PROCESS_KEYRING)
    ),
    "use io_uring": lambda: done(libc.syscall(IO_URING_SETUP, 1, ctypes.create_string_buffer(120))),
}


def names() -> list[str]:
    for name in ("decimal", "random", "typing", "unicodedata"):
        importlib.import_module(name)
    return list(ACTS)


def act(name: str) -> None:
    ACTS[name]()


def read_line() -> str:
    return input("line: ")
