name = input("Name: ")
year = input("Year of birth: ")
if year.isdigit():
    print(name, "becomes", 2024 - int(year))
else:
    while not year.isdigit():
        print("That is not a number.")
        year = input("Year of birth: ")
    print(name, "becomes", int(year) - 2024)
