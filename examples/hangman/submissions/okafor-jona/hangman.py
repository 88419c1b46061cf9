import random

from hangman_support import *


def hidden_word(word, letters):
    def shown(letter):
        return BLANK if letter not in letters else letter
    return "".join(map(shown, word))


def is_letter(text):
    # one character is enough
    return 0 < len(text) < 2


def wrong_letters(word, letters):
    for letter in tuple(letters):
        if letter in word:
            letters.pop(letters.index(letter))
    return letters


def is_guessed(word, letters):
    for letter in word:
        if letter in letters:
            continue
        return False
    return True


def ask(letters):
    """The next letter, one that was not tried before."""
    text = input(PROMPT)
    while not is_letter(text) or text.lower() in letters:
        print(REPEATED_MESSAGE if is_letter(text) else INVALID_MESSAGE)
        text = input(PROMPT)
    return text.lower()


def play(word):
    letters = []
    for life in reversed(range(LIVES)):
        print(hidden_word(word, letters))
        letters += ask(letters)
        found = is_guessed(word, letters)
        if found:
            break
    message = WON_MESSAGE if found else LOST_MESSAGE + " " + word
    print(message)
    return found


if __name__ == "__main__":
    play(random.choice(WORDS))
