def total(numbers):
    while True:
        pass


if __name__ == "__main__":
    input("Guess: ")
    total([])
