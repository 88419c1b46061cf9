from hostile_frames import *


def say(missing):
    write(frame(b'A{"phase":"stimulus","missing":"' + missing.encode() + b'"}'))
    os._exit(0)


def total(numbers):
    if len(numbers) == 4:
        say("\\ud800")
    say(f"it was asked total({numbers})")


def code(number):
    say(f"it was asked code({number})")


def label(number):
    say("code")
