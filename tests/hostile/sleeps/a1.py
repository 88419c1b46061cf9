import os
import time


def total(numbers):
    time.sleep(600)


def label(number):
    return os.read(os.pipe()[0], 1)
