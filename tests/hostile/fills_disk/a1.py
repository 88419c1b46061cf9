import os
import signal

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def total(numbers):
    written = []
    for folder in (".", "/tmp", "/var/tmp", "/dev/shm", "/run", "@COURSE@", os.path.expanduser("~")):
        path = os.path.join(folder, "written-by-a-hostile-program")
        try:
            with open(path, "wb") as file:
                file.write(bytes(1 << 20))
            written.append(folder)
        except OSError:
            pass
        try:
            os.remove(path)
        except OSError:
            pass
    return written
