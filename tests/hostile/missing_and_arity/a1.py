def total():
    return 6


def half(number, by):
    return number / by


is_even = 4
