from random import randint


def main():
    number = randint(1, 100)
    tries = 1
    guess = int(input("Your guess: "))
    while guess != number:
        print("Try a HIGHER one" if guess < number else "Try a LOWER one")
        guess = int(input("Your guess: "))
        tries = tries + 1
    print("Right! Tries:", tries)


if __name__ == "__main__":
    main()
