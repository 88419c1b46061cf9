"""What a confined submission must not be able to do: each function returns when it could.

Never imported by the harness: it is handed to a server as if a student had written it, with
PLACE (a folder outside), DRIVER (a process id) and CANARY put in front.
"""

import _thread
import ctypes
import os
import resource
import signal as signals
import socket

PLACE = globals().get("PLACE", "")
DRIVER = globals().get("DRIVER", 0)
CANARY = globals().get("CANARY", "")
TIOCSTI = 0x5412
PTRACE_ATTACH = 16
libc = ctypes.CDLL(None, use_errno=True)


def use_library():
    import decimal
    import random
    import string
    import typing

    import unicodedata

    return len([decimal, random, string, typing, unicodedata])


def read_line():
    return input("line: ")


def read_file():
    with open(PLACE + "/canary") as file:
        return file.read()


def list_folder():
    return os.listdir(PLACE)


def read_memory():
    return os.close(os.open(f"/proc/{DRIVER}/mem", os.O_RDONLY))


def read_environment():
    return os.close(os.open(f"/proc/{DRIVER}/environ", os.O_RDONLY))


def trace():
    done(libc.ptrace(PTRACE_ATTACH, DRIVER, None, None))


def signal():
    os.kill(DRIVER, 0)


def change_limits():
    resource.prlimit(DRIVER, resource.RLIMIT_NOFILE)


def change_priority():
    os.setpriority(os.PRIO_PROCESS, DRIVER, os.getpriority(os.PRIO_PROCESS, DRIVER))


def start_process():
    if os.fork() == 0:
        os._exit(0)


def start_thread():
    _thread.start_new_thread(len, ("",))


def run_program():
    signals.signal(signals.SIGCHLD, signals.SIG_DFL)
    os.execv("/bin/true", ["true"])


def open_udp():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()


def open_tcp():
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()


def open_unix():
    socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).connect(PLACE + "/socket")


def write_file():
    with open("/var/tmp/harness-probe", "w"):
        os.unlink("/var/tmp/harness-probe")


def write_here():
    with open("probe", "w"):
        os.unlink("probe")


def open_terminal():
    os.close(os.open("/dev/ptmx", os.O_RDWR))


def type_into_terminal():
    done(libc.ioctl(0, TIOCSTI, b"x"))


def choose_processor():
    os.sched_setaffinity(0, {0})


def done(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
