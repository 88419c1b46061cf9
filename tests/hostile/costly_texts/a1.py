from a1_support import *

ROWS = 1000


def grid(signs):
    return ["|".join(signs[(row * 7 + place) % 3] for place in range(8)) for row in range(ROWS)]


def total(numbers):
    """Boards of more rows than any board, each row nearly the one before."""
    return [["X", "O", "-"][row % 3 :] + [str(row)] * 8 for row in range(1800)]


def label(number):
    """The variant: one line that is rows and columns at once."""
    return "row 3\n" * 150_000


def rows(count):
    return [f"row {number % 7}" for number in range(19_000)]


def is_even(number):
    """The control."""
    return number % 2 == 0


def half(number):
    return "\n".join(grid("123"))


def fill(board):
    board[:] = [[place] * 8 for place in range(1800)]


def greet(name):
    print("\n".join(grid("XO-")))


def code(number):
    return grid("XO-") * 2


def main():
    for guess in range(2):
        print("\n".join(grid("XO-"))[:7000])
        input("Guess: " * 50)


if __name__ == "__main__":
    main()
