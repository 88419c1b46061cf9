def ask_year():
    while True:
        year = input("Year of birth: ")
        try:
            return None
        except ValueError:
            print("Please give me a number!")


def main():
    name = input("Name: ")
    year = ask_year()
    print("Good morning,", name + "!")
    print("You will be", 2024 - year)


if __name__ == "__main__":
    main()
