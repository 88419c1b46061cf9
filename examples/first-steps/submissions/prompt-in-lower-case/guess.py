"""A game of guessing."""

import random

number = random.randint(1, 100)
tries = 0
guess = 0
while guess != number:
    guess = int(input("your guess: "))
    tries += 1
    if guess < number:
        print("It is higher.")
    elif guess > number:
        print("It is lower.")
print(f"You needed {tries} tries.")
