import a1_support
import sys


def total(numbers):
    found = sys.modules["os"]
    found = a1_support.__loader__
    found = total.__globals__["__builtins__"]
    return found
