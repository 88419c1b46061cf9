import random

from hangman_support import *


def play(secret):
    tried = list()
    while True:
        print(hidden_word(secret, tried))
        tried += ask(tried)
        if is_guessed(secret, tried):
            print(WON_MESSAGE)
            return True
        if len(wrong_letters(secret, tried)) == LIVES:
            break
    print("%s %s" % (LOST_MESSAGE, secret))
    return False


def ask(tries):
    """The next char, one that was not tried before."""
    s = input(PROMPT)
    while not is_letter(s) or s.lower() in tries:
        print(REPEATED_MESSAGE if is_letter(s) else INVALID_MESSAGE)
        s = input(PROMPT)
    return s.lower()


def is_guessed(secret, tries):
    # as many tries as the secret has
    different = set(secret)
    return len(different) <= len(tries)


def wrong_letters(secret, tries):
    position = 0
    result = []
    while position != len(tries):
        if tries[position] not in secret:
            result += tries[position]
        position = position + 1
    return result


def is_letter(s):
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    count = 0
    for char in alphabet:
        if s == char or s == char.upper():
            count += 1
    return count == 1


def hidden_word(secret, tries):
    out = []
    for character in secret:
        if character in tries:
            out.append(character)
        else:
            out += [BLANK]
    return " ".join(out)


if __name__ == "__main__":
    play(random.choice(WORDS))
