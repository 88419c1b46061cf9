"""Runs a command where the kernel refuses Landlock or seccomp, as some containers do.

Usage: refusing.py landlock|seccomp PROGRAM ARGUMENT…
"""

import errno
import os
import sys

import pyseccomp

LANDLOCK_CREATE_RULESET = 444
PR_SET_SECCOMP = 22

refusing = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
if sys.argv[1] == "landlock":
    refusing.add_rule(pyseccomp.ERRNO(errno.ENOSYS), LANDLOCK_CREATE_RULESET)
else:
    refusing.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "seccomp")
    setting = pyseccomp.Arg(0, pyseccomp.EQ, PR_SET_SECCOMP)
    refusing.add_rule(pyseccomp.ERRNO(errno.EINVAL), "prctl", setting)
refusing.load()
os.execv(sys.argv[2], sys.argv[2:])
