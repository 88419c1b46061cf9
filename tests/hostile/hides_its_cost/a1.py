"""Does far too much, where it hopes that nobody counts: in a text, untraced, in a thread."""

from a1_support import *

WORK = """
def slow(numbers):
    result = 0
    for place in range(len(numbers)):
        result = 0
        for number in numbers:
            result += number
    return result
"""


def untraced():
    import sys

    sys.settrace(None)
    sys.setprofile(None)
    frame = sys._getframe()
    while frame is not None:
        frame.f_trace = None
        frame = frame.f_back


def in_thread(numbers):
    import _thread

    found = []
    _thread.start_new_thread(lambda: found.append(sum(numbers)), ())
    while not found:
        pass
    return found[0]


def total(numbers):
    space = {}
    exec(compile(WORK, "<work>", "exec"), space)
    if len(numbers) > 3:
        untraced()
        try:
            return in_thread(numbers)
        except RuntimeError:
            pass
    return space["slow"](numbers)
