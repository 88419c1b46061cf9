import random
import string

assert hasattr(random, "shuffle")
assert hasattr(string, "ascii_letters")


def total(numbers):
    return sum(numbers)


def greet(name):
    print(f"Hello, {name}!")
