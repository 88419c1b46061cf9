import random

from hangman_support import *


def hidden_word(word, letters):
    """The word with a blank for each letter that was not tried."""
    return " ".join((letter in letters and letter) or BLANK for letter in word)


def is_letter(text):
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    return text.lower() in list(alphabet)


def wrong_letters(word, letters):
    return list(filter(lambda tried: tried not in set(word), letters))


def is_guessed(word, letters):
    for letter in word:
        if letter not in letters:
            return False
    return True


def ask(letters):
    letter = input(PROMPT)
    message = None
    if not is_letter(letter):
        message = INVALID_MESSAGE
    elif letter in letters:
        message = REPEATED_MESSAGE
    if message:
        print(message)
        return ask(letters)
    return letter.lower()


def play(word):
    letters, lives, won = [], LIVES, False
    while lives > 0 and not won:
        print(hidden_word(word, letters))
        answer = ask(letters)
        letters += answer
        if not answer in word:
            lives -= 1
        won = is_guessed(word, letters)
    if won == True:
        print(WON_MESSAGE)
    else:
        print(LOST_MESSAGE + " " + word)
    return won


if __name__ == "__main__":
    play(random.choice(WORDS))
