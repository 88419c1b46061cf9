import random

from hangman_support import *


def hidden_word(word, letters):
    def shown(letter):
        return BLANK if letter not in letters else letter
    return "".join([shown(letter) for letter in word])


def is_letter(text):
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    for letter in alphabet:
        if letter == text.lower():
            return True
    return False


def wrong_letters(word, letters):
    """The letters that the word lacks, as they were tried."""
    return [letter for letter in letters if word.find(letter) < 0]


def is_guessed(word, letters):
    shown = hidden_word(word, letters)
    return not BLANK in shown


def ask(letters):
    while 1:
        guess = input(PROMPT).lower()
        if is_letter(guess):
            if guess not in letters:
                return guess
            print(REPEATED_MESSAGE)
        else:
            print(INVALID_MESSAGE)


def play(word):
    guesses = []
    wrong = 0
    while LIVES - wrong > 0:
        print(hidden_word(word, guesses))
        guesses += [ask(guesses)]
        if is_guessed(word, guesses):
            return print(WON_MESSAGE)
        wrong = len(wrong_letters(word, guesses))
    print(LOST_MESSAGE, word)


if __name__ == "__main__":
    play(random.choice(WORDS))
