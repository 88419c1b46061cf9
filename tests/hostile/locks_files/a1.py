import ctypes
import fcntl
import os
import re
import struct

READ, SHARED, WAKE = 1, 1, 1
FUTEX = {"x86_64": 202, "armv7l": 240, "ppc64le": 221}.get(os.uname().machine, 98)
OPEN_FILE_LOCK = 37
RECORD = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 1, 0)


def wake(file):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    page = ctypes.c_void_p(libc.mmap(None, 4096, READ, SHARED, file, 0))
    if libc.syscall(FUTEX, page, WAKE, 1, None, None, 0) < 0:
        raise OSError(ctypes.get_errno(), "futex")


WAYS = {
    0: lambda file: fcntl.flock(file, fcntl.LOCK_SH),
    1: lambda file: fcntl.fcntl(file, fcntl.F_GETLK, RECORD),
    3: lambda file: fcntl.fcntl(file, OPEN_FILE_LOCK, RECORD),
    4: wake,
}


def total(numbers):
    WAYS[len(numbers)](os.open(re.__file__, os.O_RDONLY))
    return "done"
