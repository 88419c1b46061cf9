def total(numbers):
    return [0] * 10 ** 8


def is_even(number):
    kept = []
    while True:
        kept.append(bytearray(1000000))


def label(number):
    return "done" if bytearray(100_000_000) else ""
