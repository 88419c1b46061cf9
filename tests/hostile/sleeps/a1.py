import os
import time


def total(numbers):
    time.sleep(600)


def label(number):
    time.sleep(1)
    return "done"


def half(number):
    return os.read(os.pipe()[0], 1)
