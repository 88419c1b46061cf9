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
