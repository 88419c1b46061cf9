import random

from hangman_support import *


def hidden_word(word, letters):
    # every letter is followed by a space
    text = ""
    for index in range(0, len(word)):
        letter = word[index]
        if letter in letters:
            text = text + word[index] + " "
        elif word[index] not in letters:
            text = text + BLANK + " "
    return text


def is_letter(text):
    return text != "" and text.isalpha() and text == text[0]


def wrong_letters(word, letters):
    wrong = []
    for letter in letters:
        if not letter in word:
            wrong += [letter]
    return wrong


def is_guessed(word, letters):
    shown = hidden_word(word, letters)
    return not BLANK in shown


def ask(letters):
    """The next letter, one that was not tried before."""
    text = input(PROMPT)
    while not is_letter(text) or text.lower() in letters:
        print(INVALID_MESSAGE if not is_letter(text) else REPEATED_MESSAGE)
        text = input(PROMPT)
    return text.lower()


def play(word):
    letters = []
    lives = LIVES
    won = False
    while lives > 0 and not won:
        print(hidden_word(word, letters))
        answer = ask(letters)
        letters = letters + [answer]
        if not answer in word:
            lives -= 1
        won = is_guessed(word, letters)
    print(WON_MESSAGE if won else LOST_MESSAGE + " " + word)
    return won


if __name__ == "__main__":
    play(random.choice(WORDS))
