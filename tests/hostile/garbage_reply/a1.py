from hostile_frames import *


def total(numbers):
    if len(numbers) == 3:
        write(b"garbage garbage garbage")
    elif len(numbers) == 1:
        write(b"\xff\xff\xff\x7fA{")
    elif len(numbers) == 0:
        while True:
            write(b"\0\1\0\0A" + b"[" * 255)
    else:
        write(frame(b'A{"value":["magic","100"],"verdict":"passed"}'))
    os._exit(0)
