from a1_support import *

try:
    tool = random
except NameError:
    tool = None


def total(numbers):
    return tool
