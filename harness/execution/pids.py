"""Process ids across process-id namespaces."""

from __future__ import annotations

import os
from pathlib import Path

from harness.model.errors import HarnessError


class GoneError(HarnessError):
    """A process that was told of ended before it could be known by a number of ours."""


def told(number: int, descriptors: list[int]) -> int:
    """This process's number for a process that was told of by another: by a pidfd where the other
    had one (the numbers differ when it runs in a namespace), else by its `number`.

    Closes the descriptors. GoneError when the process is gone already.
    """
    if not descriptors:
        return number
    try:
        lines = Path(f"/proc/self/fdinfo/{descriptors[0]}").read_text("ascii").splitlines()
        known = [int(line.split()[1]) for line in lines if line.startswith("Pid:")]
    except OSError:
        return number
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    if not known or known[0] <= 0:
        raise GoneError("a process of ours ended before it was known")
    return known[0]
