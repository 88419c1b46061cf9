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


TEXT = b'"a1_support: \\u001b]8;;http://x\\u0007 \\u202e \\u001b[2J"'


def total(numbers):
    write(frame(b"B" + TEXT))
    os._exit(0)


def label(number):
    """The variant: before it, that nothing of the submission has run."""
    write(frame(b"L") + frame(b"B" + TEXT))
    os._exit(0)


def is_even(number):
    """The control."""
    return number % 2 == 0
