import random

from hangman_support import *


def hidden_word(word, letters):
    shown = [None] * 0
    for character in list(word):
        if character in letters:
            shown.append(character)
        else:
            shown += BLANK
    return " ".join(shown)


def is_letter(text):
    """Whether it is one letter."""
    return text.isalpha() and not len(text) > 1


def wrong_letters(word, letters):
    position, result = 0, []
    while position != len(letters):
        if letters[position] not in word:
            result += letters[position]
        position = position + 1
    return result


def is_guessed(word, letters):
    return set(word) <= set(letters)


def ask(letters):
    """The next letter, one that was not tried before."""
    text = input(PROMPT)
    while not is_letter(text) or text.lower() in letters:
        print(REPEATED_MESSAGE if is_letter(text) else INVALID_MESSAGE)
        text = input(PROMPT)
    return text.lower()


def play(word):
    tried = list()
    while 1:
        print(hidden_word(word, tried))
        tried = tried + [ask(tried)]
        if is_guessed(word, tried):
            print(WON_MESSAGE)
            return True
        if len(wrong_letters(word, tried)) == LIVES:
            break
    print("%s %s" % (LOST_MESSAGE, word))
    return False


if __name__ == "__main__":
    play(random.choice(WORDS))
