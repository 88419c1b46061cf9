"""Runs a command where the kernel refuses Landlock, as some containers do."""

from __future__ import annotations

import errno
import os
import sys

import pyseccomp

LANDLOCK_CREATE_RULESET = 444

refusing = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
refusing.add_rule(pyseccomp.ERRNO(errno.ENOSYS), LANDLOCK_CREATE_RULESET)
refusing.load()
os.execv(sys.argv[1], sys.argv[1:])
