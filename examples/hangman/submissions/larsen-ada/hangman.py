import random

from hangman_support import *


def hidden_word(word, letters):
    """The word with a blank for each letter that was not tried."""
    return " ".join((letter in letters and letter) or BLANK for letter in word)


def is_letter(text):
    """Whether it is one letter."""
    return (len(text), text.isalpha()) == (1, True)


def wrong_letters(word, letters):
    """The letters that the word lacks, as they were tried."""
    return [letter for letter in letters if letter not in word]


def is_guessed(word, letters):
    """Whether every letter of the word was tried."""
    return all([each in letters for each in word])


def ask(letters):
    """The next letter, one that was not tried before."""
    text = input(PROMPT)
    while not is_letter(text) or text.lower() in letters:
        print(INVALID_MESSAGE if not is_letter(text) else REPEATED_MESSAGE)
        text = input(PROMPT)
    return text.lower()


def play(word):
    """One game; whether the word was found."""
    letters = []
    while len(wrong_letters(word, letters)) < LIVES and not is_guessed(word, letters):
        print(hidden_word(word, letters))
        letters.extend(ask(letters))
    if is_guessed(word, letters):
        print(WON_MESSAGE)
        return True
    print(f"{LOST_MESSAGE} {word}")
    return False


if __name__ == "__main__":
    play(random.choice(WORDS))
