"""The last line is what nobody is to see."""

PROGRAM = b"def total(numbers):\n    return sum(numbers)\n"


def make(folder):
    padding = b"# nothing to see here, and nothing here either\n" * 12_000
    (folder / "a1.py").write_bytes(PROGRAM + padding + b"exec('import os')\n")
