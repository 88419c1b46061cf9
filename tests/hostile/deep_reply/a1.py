from hostile_frames import *


def nested(depth):
    return b'["list",[' * depth + b'["int","6"]' + b"]]" * depth


def total(numbers):
    depth = {3: 300, 1: 101, 0: 900, 4: 100}[len(numbers)]
    arguments = b'"before":[' + nested(1) + b'],"after":[' + nested(1) + b"]"
    value = b'"value":' + nested(depth)
    write(frame(b'A{"phase":"stimulus",' + value + b"," + arguments + b"}"))
    os._exit(0)


def rows(count):
    """The control: as deep, and honest."""
    value = []
    for _ in range(300):
        value = [value]
    return value
