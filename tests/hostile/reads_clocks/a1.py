import ctypes
import os
import time

COMPUTED = 2


def system_information():
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.sysinfo(ctypes.create_string_buffer(256)):
        raise OSError(ctypes.get_errno(), "sysinfo")


WAYS = {
    0: lambda: time.clock_gettime((~os.getppid() << 3) | COMPUTED),
    1: lambda: time.clock_getres((~os.getppid() << 3) | COMPUTED),
    3: lambda: os.fstatvfs(0),
    4: system_information,
}


def total(numbers):
    WAYS[len(numbers)]()
    return "done"
