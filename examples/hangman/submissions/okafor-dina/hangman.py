import random

from hangman_support import *


def hidden_word(word, letters):
    text = word[:]
    for letter in filter(lambda each: each not in letters, word):
        text = BLANK.join(text.split(letter))
    return " ".join(list(text))


def is_letter(text):
    size = len(text)
    if size != 1:
        return False
    code = ord(text.lower())
    return code in range(ord("a"), ord("z") + 1)


def wrong_letters(word, letters):
    return list(filter(lambda tried: not (tried in word), letters))


def is_guessed(word, letters):
    return not set(word) - set(letters)


def ask(letters):
    """The next letter, one that was not tried before."""
    text = input(PROMPT)
    while not is_letter(text) or text.lower() in letters:
        print(INVALID_MESSAGE if not is_letter(text) else REPEATED_MESSAGE)
        text = input(PROMPT)
    return text.lower()


def play(word):
    guesses = []
    wrong = 0
    while wrong < LIVES:
        print(hidden_word(word, guesses))
        guess = ask(guesses)
        guesses.append(guess)
        if is_guessed(word, guesses):
            print(WON_MESSAGE)
            return
        wrong = len(wrong_letters(word, guesses))
    print(LOST_MESSAGE, word)


if __name__ == "__main__":
    play(random.choice(WORDS))
