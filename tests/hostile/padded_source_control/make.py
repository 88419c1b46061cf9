"""Only comments make it large."""

PROGRAM = b"""from a1_support import *


def total(numbers):
    result = 0
    for number in numbers:
        result += number
    return result
"""
LARGEST = 512 * 1024


def make(folder):
    line = b"# a remark of exactly this length, again and again\n"
    padding = line * ((LARGEST - len(PROGRAM)) // len(line))
    (folder / "a1.py").write_bytes(PROGRAM + padding)
