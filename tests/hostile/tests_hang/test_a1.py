"""Never come to an end, with the program and without it."""

from a1 import double


def test_asks():
    while True:
        double(1)


def test_spins():
    while True:
        pass
