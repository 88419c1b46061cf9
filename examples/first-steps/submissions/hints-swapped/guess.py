"""A game of guessing."""

import random

number = random.randint(1, 100)
tries = 0
guess = 0
while guess != number:
    guess = int(input("Your guess: "))
    tries += 1
    if guess < number:
        print("It is lower.")
    elif guess > number:
        print("It is higher.")
print(f"You needed {tries} tries.")
