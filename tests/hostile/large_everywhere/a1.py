LARGE = "x" * 900_000


def total(numbers):
    return LARGE


def label(number):
    """The variant: as much as all parts of a value may hold."""
    return ["x" * 45] * 15_000


rows = is_even = half = total


def fill(board):
    board[:] = [LARGE[:400_000], 1]


def greet(name):
    """The control."""
    print(f"Hello, {name}!")
