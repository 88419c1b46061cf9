from a1_support import *


class Pair:
    __match_args__ = ("first", "rest")

    def __init__(self, first, rest):
        self.first = first
        self.rest = rest


def total(numbers):
    if not numbers:
        return 0
    match Pair(numbers[0], numbers[1:]):
        case Pair(first, rest):
            return first + total(rest)
