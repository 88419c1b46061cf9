import fcntl

from hostile_frames import *


def leave():
    for number in range(3, 64):
        try:
            fcntl.fcntl(number, fcntl.F_SETFL, os.O_DIRECT)
        except OSError:
            pass
    for _ in range(50):
        write(frame(b"Q"))


def total(numbers):
    leave()
    return sum(numbers)


def label(number):
    """The variant: the beginning of a frame, to swallow the next scenario's reply."""
    write((100_000).to_bytes(4, "little") + b"A")
    os._exit(0)


def is_even(number):
    """The control, right after both."""
    return number % 2 == 0


def half(number):
    return number / 2
