import atexit
import os


def late():
    print("late")
    while True:
        pass


atexit.register(late)
atexit.register(os._exit, 1)


class Late:
    def __del__(self):
        late()


kept = Late()


def total(numbers):
    return sum(numbers)


def greet(name):
    print(f"Hello, {name}!")
