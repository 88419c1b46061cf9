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
UNMOUNT_LATER, NEW_USER_NAMESPACE = 2, 0x10000000
CREATE, REMOVE = 0o1000, 0
PROCESS_KEYRING, IO_URING_SETUP = -2, 425
ADD_KEY = {"x86_64": 248, "armv7l": 309, "ppc64le": 269}.get(os.uname().machine, 217)
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


def read_command_line() -> object:
    with open(f"/proc/{DRIVER}/cmdline", "rb") as file:
        return file.read()


def read_servers_memory() -> object:
    return os.close(os.open(f"/proc/{os.getppid()}/mem", os.O_RDONLY))


def trace() -> object:
    done(libc.ptrace(PTRACE_SEIZE, DRIVER, None, None))


def signal() -> object:
    os.kill(DRIVER, 0)


def signal_server() -> object:
    os.kill(os.getppid(), 0)


def change_limits() -> object:
    resource.prlimit(DRIVER, resource.RLIMIT_NOFILE)


def change_priority() -> object:
    os.setpriority(os.PRIO_PROCESS, DRIVER, os.getpriority(os.PRIO_PROCESS, DRIVER))


def change_own_limits() -> object:
    resource.setrlimit(resource.RLIMIT_NOFILE, resource.getrlimit(resource.RLIMIT_NOFILE))


def start_process() -> object:
    if os.fork() == 0:
        os._exit(0)


def start_thread() -> object:
    _thread.start_new_thread(len, ("",))


def run_program() -> object:
    signals.signal(signals.SIGCHLD, signals.SIG_DFL)
    os.execv("/bin/true", ["true"])


def become_another() -> object:
    os.setuid(0 if os.getuid() else 1)


def open_udp() -> object:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()


def open_tcp() -> object:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()


def open_unix() -> object:
    os.chdir(PLACE)  # its whole name may be longer than the name of a socket may be
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect("socket")


def write_file() -> object:
    with open("/var/tmp/harness-probe", "w"):
        os.unlink("/var/tmp/harness-probe")


def write_here() -> object:
    with open("probe", "w"):
        os.unlink("probe")


def write_shared() -> object:
    with open("/dev/shm/harness-probe", "w"):
        os.unlink("/dev/shm/harness-probe")


def make_segment() -> object:
    segment = libc.shmget(0, 1, CREATE)
    done(segment)
    libc.shmctl(segment, REMOVE, None)


def open_terminal() -> object:
    os.close(os.open("/dev/ptmx", os.O_RDWR))


def type_into_terminal() -> object:
    done(libc.ioctl(0, TIOCSTI, b"x"))


def choose_processor() -> object:
    os.sched_setaffinity(0, {0})


def mount() -> object:
    done(libc.mount(b"probe", PLACE.encode(), b"tmpfs", 0, None))
    libc.umount2(PLACE.encode(), UNMOUNT_LATER)


def make_namespace() -> object:
    done(libc.unshare(NEW_USER_NAMESPACE))


def use_keys() -> object:
    done(libc.syscall(ADD_KEY, b"user", b"harness-probe", b"x", 1, PROCESS_KEYRING))


def use_io_uring() -> object:
    parameters = ctypes.create_string_buffer(120)
    done(libc.syscall(IO_URING_SETUP, 1, parameters))


def done(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
