name = input("Your name? ")


def total(numbers):
    return sum(numbers)
