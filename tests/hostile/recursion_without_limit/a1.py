import sys

sys.setrecursionlimit(10**9)


def total(numbers):
    kept = bytearray(200_000)
    return total(numbers) + len(kept)
