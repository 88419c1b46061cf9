import random

from hangman_support import *


def hidden_word(word, letters):
    """The word with a blank for each letter that was not tried."""
    return " ".join(letter if letter in letters else BLANK for letter in word)


def is_letter(text):
    if len(text) != 1:
        return False
    if "a" <= text.lower() <= "z":
        return True
    return False


def wrong_letters(word, letters):
    wrong = list()
    for letter in letters:
        is_wrong = letter not in word
        if is_wrong:
            wrong.append(letter)
    return wrong


def is_guessed(word, letters):
    for letter in word:
        if letter not in letters:
            return False
    return True


def ask(letters):
    """The next letter, one that was not tried before."""
    text = input(PROMPT)
    while not is_letter(text) or text.lower() in letters:
        print(INVALID_MESSAGE if not is_letter(text) else REPEATED_MESSAGE)
        text.lower()
    return text.lower()


def play(word):
    letters = []
    lives = LIVES
    won = False
    while lives > 0 and not won:
        print(hidden_word(word, letters))
        answer = ask(letters)
        letters += answer
        if answer not in word:
            lives = lives - 1
        won = is_guessed(word, letters)
    if not won:
        print(LOST_MESSAGE, word)
        return False
    print(WON_MESSAGE)
    return True


if __name__ == "__main__":
    play(random.choice(WORDS))
