def label(number):
    return "row \ud83d"


def greet(name):
    print("Hello, \ud83d!")


def total(numbers):
    raise ValueError("no \udc00 total")
