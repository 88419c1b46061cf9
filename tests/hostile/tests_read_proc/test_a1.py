"""Look in /proc, at numbers and at arguments for anything that differs from run to run."""

import glob
import os
import sys

import pytest


def facts():
    """Return what the machine says of this process and of others."""
    found = [os.getpid(), os.getppid(), len(os.listdir("/proc/self/fd")), sys.argv]
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            found.append(open(path).read())
        except OSError:
            found.append("closed")
    for path in glob.glob("/proc/[0-9]*/mem"):
        try:
            found.append(open(path, "rb").read(1))
        except OSError:
            found.append("closed")
    return found


@pytest.mark.parametrize("number", range(2, 60, 3))
def test_number(number, request):
    pid, parent, *_ = facts()
    assert pid - parent < number or len(request.session.items) < 3


def test_names():
    told = str(facts())
    assert "fault" not in told
    assert "canary" not in told
