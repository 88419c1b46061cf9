def greet(name):
    print("\n".join("Hello, Ada!" if n % 2 else "Hello, Bob" for n in range(1300)))


def label(number):
    return "row 3 " * 100_000


if __name__ == "__main__":
    print("\n".join(["Guess: 5", "Too big"] * 900))
