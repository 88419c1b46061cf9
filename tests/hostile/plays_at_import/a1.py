def total(numbers):
    return sum(numbers)


def main():
    guess = int(input("Guess: "))
    while guess != 3:
        print("Too big" if guess > 3 else "Too small")
        guess = int(input("Guess: "))
    print("Right!")


main()
while True:
    pass
