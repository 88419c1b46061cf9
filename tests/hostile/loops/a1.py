import time


def total(numbers):
    while True:
        pass


def label(number):
    while time.process_time() < 1:
        pass
    return "done"


if __name__ == "__main__":
    input("Guess: ")
    total([])
