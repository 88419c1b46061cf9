from hostile_frames import *


def total(numbers):
    write(frame(b'A{"phase":"stimulus","value":["int","6"]}'))
    os._exit(0)


code = total
