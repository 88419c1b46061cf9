"""A thousand random inputs, and no expectation."""

import random

from a1 import double, first


def test_a_thousand():
    for _ in range(1000):
        numbers = [random.randrange(-1000, 1000) for _ in range(5)]
        double(numbers[0])
        first(numbers)
