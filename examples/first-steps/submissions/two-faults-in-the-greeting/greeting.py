"""A greeting."""

name = input("Name: ")
year = input("Year of birth: ")
print(f"Hello {name}, in 2024 you become {2023 - int(year)}.")
