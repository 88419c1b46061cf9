import random

from hangman_support import *


def hidden_word(word, letters):
    # every letter is followed by a space
    text = str()
    for index in range(0, len(word), 1):
        if word[index] not in letters:
            text = text + BLANK + " "
        elif True:
            text = text + word[index] + " "
        elif word[index] not in letters:
            text += f"{BLANK} "
    return text


def is_letter(text):
    # one character is enough
    return 0 < len(text) < 2


def wrong_letters(word, letters):
    return list(filter(lambda tried: not (tried in word), letters))


def is_guessed(word, letters):
    """Whether every letter of the word was tried."""
    return False not in [letter in letters for letter in word]


def ask(letters):
    while 1:
        guess = str.lower(input(PROMPT))
        if not is_letter(guess):
            print(INVALID_MESSAGE)
            continue
        if guess not in letters:
            return guess
        print(REPEATED_MESSAGE)


def play(word):
    tried = []
    while True:
        print(hidden_word(word, tried))
        tried = tried + [ask(tried)]
        won = is_guessed(word, tried)
        if won:
            print(WON_MESSAGE)
            return won
        elif LIVES - len(wrong_letters(word, tried)) < 1:
            break
    print(f"{LOST_MESSAGE} {word}")
    return False


if __name__ == "__main__":
    play(random.choice(WORDS))
