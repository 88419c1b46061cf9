from a1_support import *


class Sum:
    def __init__(self):
        self.result = 0


def total(numbers):
    summed = Sum()
    for number in numbers:
        summed.result += number
    return vars(summed)["result"]
