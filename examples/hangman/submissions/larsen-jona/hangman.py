import random

from hangman_support import *


def hidden_word(word, letters):
    def shown(letter):
        return letter if letters.count(letter) > 0 else BLANK
    return "".join([shown(letter) for letter in word])


def is_letter(text):
    """Whether it is one letter."""
    return (len(text), text.isalpha()) == (1, True)


def wrong_letters(word, letters):
    wrong = list()
    for letter in letters:
        if letter in word:
            continue
        wrong.append(letter)
    return wrong


def is_guessed(word, letters):
    return len(set(word) - set(letters)) == 0


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
    tried = list()
    while True:
        print(hidden_word(word, tried))
        tried += ask(tried)
        if is_guessed(word, tried):
            print(WON_MESSAGE)
            return True
        if len(wrong_letters(word, tried)) == LIVES:
            break
    print(LOST_MESSAGE, word)
    return False


if __name__ == "__main__":
    play(random.choice(WORDS))
