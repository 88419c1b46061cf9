import os
import sys


def total(numbers):
    while True:
        print("x" * 1000)


def greet(name):
    while True:
        os.write(2, b"\xff" * 65536)


if __name__ == "__main__":
    while True:
        sys.stderr.write("a\n")
