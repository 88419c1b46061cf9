"""What a confined submission must not be able to do: each function returns when it could.

Never imported by the harness: it is handed to a server as if a student had written it, with
PLACE (a folder outside), DRIVER (a process id) put in front.
"""
# Written as a student might; each act is what its name says.
# ruff: noqa: D103, PTH108, PTH123, PTH208
# mypy: disable-error-code="return, func-returns-value"

import _thread
import ctypes
import importlib
import os
import resource
import signal as signals
import socket

PLACE = globals().get("PLACE", "")
DRIVER = globals().get("DRIVER", 0)
TIOCSTI = 0x5412
PTRACE_SEIZE = 0x4206  # unlike an attachment it does not stop the driver, should it succeed
libc = ctypes.CDLL(None, use_errno=True)


def use_library() -> object:
    for name in ("decimal", "random", "typing", "unicodedata"):
        importlib.import_module(name)
    return None


def read_line() -> object:
    return input("line: ")


def read_file() -> object:
    with open(PLACE + "/canary") as file:
        return file.read()


def list_folder() -> object:
    return os.listdir(PLACE)


def read_memory() -> object:
    return os.close(os.open(f"/proc/{DRIVER}/mem", os.O_RDONLY))


def read_environment() -> object:
    return os.close(os.open(f"/proc/{DRIVER}/environ", os.O_RDONLY))


def trace() -> object:
    done(libc.ptrace(PTRACE_SEIZE, DRIVER, None, None))


def signal() -> object:
    os.kill(DRIVER, 0)


def change_limits() -> object:
    resource.prlimit(DRIVER, resource.RLIMIT_NOFILE)


def change_priority() -> object:
    os.setpriority(os.PRIO_PROCESS, DRIVER, os.getpriority(os.PRIO_PROCESS, DRIVER))


def start_process() -> object:
    if os.fork() == 0:
        os._exit(0)


def start_thread() -> object:
    _thread.start_new_thread(len, ("",))


def run_program() -> object:
    signals.signal(signals.SIGCHLD, signals.SIG_DFL)
    os.execv("/bin/true", ["true"])


def open_udp() -> object:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()


def open_tcp() -> object:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()


def open_unix() -> object:
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(PLACE + "/socket")


def write_file() -> object:
    with open("/var/tmp/harness-probe", "w"):
        os.unlink("/var/tmp/harness-probe")


def write_here() -> object:
    with open("probe", "w"):
        os.unlink("probe")


def open_terminal() -> object:
    os.close(os.open("/dev/ptmx", os.O_RDWR))


def type_into_terminal() -> object:
    done(libc.ioctl(0, TIOCSTI, b"x"))


def choose_processor() -> object:
    os.sched_setaffinity(0, {0})


def done(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
