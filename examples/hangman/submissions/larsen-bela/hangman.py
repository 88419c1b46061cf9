import random

from hangman_support import *


def hidden_word(word, letters):
    shown = [None] * 0
    for character in list(word):
        if any(character == each for each in letters):
            shown.insert(len(shown), character)
        else:
            shown += [BLANK]
    return " ".join(shown)


def is_letter(text):
    if not len(text) == 1:
        return False
    if "a" <= text.lower() <= "z":
        return True
    return False


def wrong_letters(word, letters):
    wrong = []
    for letter in letters:
        is_wrong = letter not in word
        if is_wrong:
            wrong.append(letter)
    return wrong


def is_guessed(word, letters):
    for letter in word:
        if letter in letters:
            continue
        return False
    return True


def ask(letters):
    while True:
        guess = str(input(PROMPT)).lower()
        if is_letter(guess) and guess not in letters:
            break
        print(REPEATED_MESSAGE if guess in letters else INVALID_MESSAGE)
    return guess


def play(word):
    """One game; whether the word was found."""
    letters = []
    while not is_guessed(word, letters) and len(wrong_letters(word, letters)) < LIVES:
        print(hidden_word(word, letters))
        letters += [ask(letters)]
    if is_guessed(word, letters):
        print(WON_MESSAGE)
        return True
    print(LOST_MESSAGE, word)
    return False


if __name__ == "__main__":
    play(random.choice(WORDS))
