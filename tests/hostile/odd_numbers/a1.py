def half(number):
    return float("nan") if number else -0.0


def total(numbers):
    return float("inf")
