"""Print, write and keep more than anybody can hold."""

from a1 import double


def test_screen():
    for _ in range(20000):
        print("x" * 1000)
    double(1)


def test_folder():
    for number in range(2000):
        with open(f"{number}.txt", "w") as file:
            file.write("x" * 10000)
    double(1)


def test_message():
    double("x" * 3000000)


def test_words():
    assert not "x" * 3000000
