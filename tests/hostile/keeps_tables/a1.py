"""A dictionary that is equal all the time remembers that it was asked before."""

from a1_support import *

KEPT = {"a": 1, "b": 2, "c": 3, "d": 4}


def used_up(kept):
    steps = iter(kept)
    for _ in range(3):
        next(steps)
    for name in list(kept):
        kept[name] = kept.pop(name)
    return next(steps)


def before():
    fresh = {"a": 1, "b": 2, "c": 3, "d": 4}
    return used_up(KEPT) != used_up(fresh)


def total(numbers):
    result = 0
    for number in numbers:
        result += number
    return result if before() else -1


def is_even(number):
    return number % 2 == 0
