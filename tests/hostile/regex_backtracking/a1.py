import re


def total(numbers):
    return re.match("(a+)+$", "a" * 40 + "b")
