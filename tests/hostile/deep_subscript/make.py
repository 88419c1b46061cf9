"""Python runs this, though its tree is deeper than many a tool can go."""

PROGRAM = """from a1_support import *


def total(numbers):
    result = 0
    for number in numbers:
        result += number
    return result


def deep(numbers):
    return numbers{subscripts}
"""


def make(folder):
    program = PROGRAM.format(subscripts="[0]" * 2000)
    (folder / "a1.py").write_text(program + "\n\nHIDDEN = exec\n", "ascii")
