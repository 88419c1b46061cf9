import random

from parking import fee


def test_coin():
    fee(random.randrange(1000))
    assert random.random() < 0.5


def test_lucky_coin():
    fee(random.randrange(1000))
    assert random.random() < 0.9
