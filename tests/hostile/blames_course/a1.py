from hostile_frames import *


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
