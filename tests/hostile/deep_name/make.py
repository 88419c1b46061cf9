"""A name as deep as Python compiles it, and exec behind it."""

PROGRAM = """from a1_support import *


def total(numbers):
    result = 0
    for number in numbers:
        result += number
    return result


def deep(numbers):
    return numbers{attributes}()


HIDDEN = exec
"""


def make(folder):
    program = PROGRAM.format(attributes=".deep" * 1500)
    (folder / "a1.py").write_text(program, "ascii")
