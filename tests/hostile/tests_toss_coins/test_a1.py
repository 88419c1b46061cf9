"""Fail by chance, each test with another one."""

import os
import random

import pytest

from a1 import double, first


def test_false():
    double(3)
    assert False


@pytest.mark.parametrize("number", range(40))
def test_coin(number):
    double(number)
    first([number])
    assert os.urandom(1)[0] > 3 * number


@pytest.mark.parametrize("number", range(10))
def test_seeded(number):
    assert random.random() > number / 20
