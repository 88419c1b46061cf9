"""Guesses that answer what the game prints."""


def bisect(printed):
    """Half of what is left, always: at most seven guesses for a hundred."""
    low, high = 1, 100
    while low <= high:
        guess = (low + high) // 2
        printed = yield str(guess)
        if "higher" in printed.lower():
            low = guess + 1
        elif "lower" in printed.lower():
            high = guess - 1


def upwards(printed):
    """1, 2, 3 and so on, for as long as the answer is higher."""
    guess = 0
    while "lower" not in printed.lower():
        guess += 1
        printed = yield str(guess)
