"""A greeting."""

name = input("Name: ")
year = input("Year of birth: ")
while not year.isdecimal():
    print("That is not a number.")
    year = input("Year of birth: ")
print(f"Hello {name}, in 2024 you become {2024 - int(year)}.")
