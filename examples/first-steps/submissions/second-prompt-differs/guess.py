import random
number = random.randint(1, 100)

tries = 1
guess = int(input("Your guess: "))
while guess != number:
    print("higher" if number > guess else "lower")
    guess = int(input("Once more. Your guess: "))
    tries += 1
print("You needed", tries, "tries")
