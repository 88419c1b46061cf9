import random

from hangman_support import *


def hidden_word(word, letters):
    """The word with a blank for each letter that was not tried."""
    return " ".join((letter in letters and letter) or BLANK for letter in word)


def is_letter(text):
    if len(text) > 1 or text == "":
        return False
    if "a" <= text.lower() <= "z":
        return True
    return False


def wrong_letters(word, letters):
    for letter in list(letters):
        if letter in word:
            letters.pop(letters.index(letter))
    return letters


def is_guessed(word, letters):
    shown = hidden_word(word, letters)
    return not BLANK in shown


def ask(letters):
    for attempt in range(1000):
        text = input(PROMPT).strip().lower()
        if is_letter(text):
            return text
        print(INVALID_MESSAGE)


def play(word):
    tried = list()
    while len(tried) < 26:
        print(hidden_word(word, tried))
        tried = tried + [ask(tried)]
        if len(wrong_letters(word, tried)) >= LIVES:
            break
        if is_guessed(word, tried):
            print(WON_MESSAGE)
            return True
    print("%s %s" % (LOST_MESSAGE, word))
    return False


if __name__ == "__main__":
    play(random.choice(WORDS))
