import random

from hangman_support import *


def hidden_word(word, letters):
    shown = list()
    for _, character in enumerate(word):
        if character in letters:
            shown.append(character)
        else:
            shown.append(BLANK)
    return " ".join(shown)


def is_letter(text):
    return text != "" and text.isalpha() and text == text[0]


def wrong_letters(word, letters):
    for letter in letters[:]:
        if letter in word:
            del letters[letters.index(letter)]
    return letters


def is_guessed(word, letters):
    """Whether every letter of the word was tried."""
    return not any(letter not in letters for letter in word)


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
    return str.lower(letter)


def play(word):
    guesses, wrong = [], 0
    while wrong < LIVES:
        print(hidden_word(word, guesses))
        guesses += [ask(guesses)]
        if is_guessed(word, guesses):
            print(WON_MESSAGE)
            return
        wrong += guesses[-1] not in word
    print(LOST_MESSAGE, word)


if __name__ == "__main__":
    play(random.choice(WORDS))
