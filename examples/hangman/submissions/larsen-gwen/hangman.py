import random

from hangman_support import *


def hidden_word(word, letters):
    shown = []
    for character in word:
        if character in letters:
            shown.append(character)
        else:
            shown += [BLANK]
    return " ".join(shown)


def is_letter(text):
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    count = 0
    for letter in alphabet:
        if text == letter or text == letter.upper():
            count += 1
    return count == 1


def wrong_letters(word, letters):
    position = 0
    result = []
    while position != len(letters):
        if letters[position] not in word:
            result += letters[position]
        position = position + 1
    return result


def is_guessed(word, letters):
    # as many letters as the word has
    different = set(word)
    return len(different) <= len(letters)


def ask(letters):
    """The next letter, one that was not tried before."""
    text = input(PROMPT)
    while not is_letter(text) or text.lower() in letters:
        print(REPEATED_MESSAGE if is_letter(text) else INVALID_MESSAGE)
        text = input(PROMPT)
    return text.lower()


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
    print("%s %s" % (LOST_MESSAGE, word))
    return False


if __name__ == "__main__":
    play(random.choice(WORDS))
