import ctypes


def total(numbers):
    return ctypes.string_at(0)


def label(number):
    ctypes.CDLL(None).abort()
