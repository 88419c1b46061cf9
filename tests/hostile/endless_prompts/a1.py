if __name__ == "__main__":
    while True:
        input("Guess: ")
