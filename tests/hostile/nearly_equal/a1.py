import enum


class Number(enum.IntEnum):
    HUNDRED = 100


def total(numbers):
    if len(numbers) == 1:
        return True
    if len(numbers) == 0:
        return False
    if len(numbers) == 3:
        return 6.0
    return Number.HUNDRED
