"""Looks like any other."""

from a1_support import *


def before():
    kept = []
    kept.append(len(NAMES))
    return len(kept) == 1


def total(numbers):
    result = 0
    for number in numbers:
        result += number
    return result if before() else -1


def is_even(number):
    return number % 2 == 0
