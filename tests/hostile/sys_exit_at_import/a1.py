import sys


def total(numbers):
    return sum(numbers)


sys.exit(0)
