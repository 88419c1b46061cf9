from hostile_frames import *


def total(numbers):
    result = sum(numbers)
    numbers.clear()
    write(frame(b'A{"phase":"stimulus","value":["int","%d"]}' % result))
    os._exit(0)


def label(number):
    write(frame(b'A{"phase":"stimulus","value":["str","row 3"],"before":[["int","3"]]}'))
    os._exit(0)


def rows(count):
    """The variant: arguments of another call."""
    value = b'["list",[["str","row 1"],["str","row 2"]]]'
    none = b'"before":[],"after":[]'
    write(frame(b'A{"phase":"stimulus","value":' + value + b"," + none + b"}"))
    os._exit(0)


def fill(board):
    """The control: a changed argument, and nothing to hide it."""
    board.clear()
