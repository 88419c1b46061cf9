import random
number = random.randint(1, 100)

tries = 0
while True:
    guess = int(input("Your guess: "))
    if not 1 <= guess <= 100:
        print("Only from 1 to 100!")
        continue
    tries += 1
    if guess == number:
        break
    print("higher" if number > guess else "lower")
print("You needed", tries, "tries")
