"""End the process in the middle of a test, and claim that all was well."""

import os
import sys

from a1 import double


def test_pass():
    double(1)


def test_leave():
    os.write(1, b'{"result":"passed"}\n')
    os._exit(0)


def test_exit():
    sys.exit(0)
