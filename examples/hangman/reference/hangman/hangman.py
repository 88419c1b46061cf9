"""A game of hangman."""

import random

from hangman_support import *


def hidden_word(word, letters):
    """The word with a blank for each letter that was not tried."""
    return " ".join(letter if letter in letters else BLANK for letter in word)


def is_letter(text):
    """Whether it is one letter."""
    return len(text) == 1 and text.isalpha()


def wrong_letters(word, letters):
    """The letters that the word lacks, as they were tried."""
    return [letter for letter in letters if letter not in word]


def is_guessed(word, letters):
    """Whether every letter of the word was tried."""
    return all(letter in letters for letter in word)


def ask(letters):
    """The next letter, one that was not tried before."""
    text = input(PROMPT)
    while not is_letter(text) or text.lower() in letters:
        print(REPEATED_MESSAGE if is_letter(text) else INVALID_MESSAGE)
        text = input(PROMPT)
    return text.lower()


def play(word):
    """One game; whether the word was found."""
    letters = []
    while (
        not is_guessed(word, letters)
        and len(wrong_letters(word, letters)) < LIVES
    ):
        print(hidden_word(word, letters))
        letters.append(ask(letters))
    if is_guessed(word, letters):
        print(WON_MESSAGE)
        return True
    print(LOST_MESSAGE, word)
    return False


if __name__ == "__main__":
    play(random.choice(WORDS))
