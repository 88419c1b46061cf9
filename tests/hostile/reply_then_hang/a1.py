import time

from hostile_frames import *


def total(numbers):
    write(frame(b'A{"phase":"stimulus","value":["int","6"]}'))
    if len(numbers) == 3:
        time.sleep(600)
    while True:
        pass
