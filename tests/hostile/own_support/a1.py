from a1_support import *


def main():
    guess = int(input(PROMPT))
    while guess != NUMBER:
        print("Too big" if guess > NUMBER else "Too small")
        guess = int(input(PROMPT))
    print("Right!")


if __name__ == "__main__":
    main()
