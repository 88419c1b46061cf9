import random

from parking import CarPark, fee


def test_many_stays():
    for _ in range(200):
        fee(random.randrange(10_000))


def test_many_cars():
    park = CarPark(5)
    for number in range(20):
        park.enter(f"AB {number}")


def test_it_is_what_it_is():
    for minutes in range(100):
        assert fee(minutes) == fee(minutes)
