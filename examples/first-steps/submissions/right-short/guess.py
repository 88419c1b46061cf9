"""A game of guessing."""

import random

number = random.randint(1, 100)
tries = 0
guess = 0
while guess != number:
    guess = int(input("Your guess: "))
    tries += 1
    if guess < number:
        print("higher!")
    elif guess > number:
        print("lower!")
print(f"You needed {tries} tries.")
