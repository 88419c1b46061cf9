import fcntl
import os
import re
import struct

OPEN_FILE_LOCK = 37
RECORD = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 1, 0)
WAYS = {
    0: lambda file: fcntl.flock(file, fcntl.LOCK_SH),
    1: lambda file: fcntl.fcntl(file, fcntl.F_GETLK, RECORD),
    3: lambda file: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB),
    4: lambda file: fcntl.fcntl(file, OPEN_FILE_LOCK, RECORD),
}


def total(numbers):
    WAYS[len(numbers)](os.open(re.__file__, os.O_RDONLY))
    return "done"
