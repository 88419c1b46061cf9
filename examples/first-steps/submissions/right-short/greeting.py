"""A greeting."""

name = input("Name: ")
year = input("Year of birth: ")
while not year.isdigit():
    print("A number, please")
    year = input("Year of birth: ")
print(2024 - int(year), "years,", name)
