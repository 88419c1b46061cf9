import fcntl
import os
import stat


def write(data):
    for number in range(3, 64):
        try:
            mode = os.fstat(number).st_mode
            if stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode):
                os.write(number, data)
        except OSError:
            pass


def frame(body):
    return len(body).to_bytes(4, "little") + body


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
