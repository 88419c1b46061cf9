import os
import re
import time

SHAPE = re.compile(b"canary-" + b"[0-9a-f]{8,}")


def paths():
    yield "@COURSE@/specs/hostile/values.yaml"
    yield "@COURSE@/reference/hostile/a1.py"
    for pid in (os.getppid(), @DRIVER@):
        for name in ("environ", "cmdline", "maps", "mem", "task", "fd"):
            yield f"/proc/{pid}/{name}"
    for top in (".", "@COURSE@", "/tmp", "/etc", "/var", "/opt", "/lib", "/usr/lib"):
        for folder, _, names in os.walk(top):
            for name in names:
                yield os.path.join(folder, name)


def code(number):
    """Search for so many hundredths of a second of CPU time, or twice as long on a slow disk."""
    read = 0
    started = time.monotonic()
    for path in paths():
        if time.process_time() > number / 100 or time.monotonic() - started > number / 50:
            break
        try:
            with open(path, "rb") as file:
                found = SHAPE.search(file.read(1 << 22))
        except (OSError, ValueError):
            continue
        read += 1
        if found:
            return found[0].decode()
    return f"nothing in {read} files"
