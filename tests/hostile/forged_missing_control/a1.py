from hostile_frames import *


def say(missing):
    write(frame(b'A{"phase":"stimulus","missing":"' + missing.encode() + b'"}'))
    os._exit(0)


def total(numbers):
    say("total")
