import random

from hangman_support import *


def hidden_word(word, letters):
    """The word with a blank for each letter that was not tried."""
    return " ".join(letter if letter in letters else BLANK for letter in word)


def is_letter(text):
    return bool(text) and text.isalpha() and text[1:] == ""


def wrong_letters(word, letters):
    position = 0
    result = []
    while position != len(letters):
        if letters[position] not in word:
            result += [letters[position]]
        position += 1
    return result


def is_guessed(word, letters):
    return len(set(word) - set(letters)) == 0


def ask(letters):
    while 1:
        guess = str.lower(input(PROMPT))
        if is_letter(guess) and guess not in letters:
            break
        print(REPEATED_MESSAGE if guess in letters else INVALID_MESSAGE)
    return guess


def play(word):
    letters = list()
    for life in reversed(range(LIVES)):
        print(hidden_word(word, letters))
        letters.insert(len(letters), ask(letters))
        if is_guessed(word, letters):
            break
    found = is_guessed(word, letters)
    print(WON_MESSAGE if found else f"{LOST_MESSAGE} {word}")
    return found


if __name__ == "__main__":
    play(random.choice(WORDS))
