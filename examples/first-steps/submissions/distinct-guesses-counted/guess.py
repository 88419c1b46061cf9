import random
number = random.randint(1, 100)

guesses = set()
while True:
    guess = int(input("Your guess: "))
    guesses.add(guess)
    if guess == number:
        break
    print("higher" if number > guess else "lower")
print("You needed", len(guesses), "tries")
