import random

from hangman_support import *


def hidden_word(word, letters):
    text = word[:]
    for letter in set(word).difference(letters):
        text = BLANK.join(text.split(letter))
    return " ".join(text[:])


def is_letter(text):
    # one character is enough
    return 0 < len(text) < 2


def wrong_letters(word, letters):
    position = 0
    result = []
    while position != len(letters):
        if letters[position] not in word:
            result += letters[position]
        position += 1
    return result


def is_guessed(word, letters):
    shown = hidden_word(word, letters)
    return not BLANK in shown


def ask(letters):
    letter = input(PROMPT)
    if not is_letter(letter):
        print(INVALID_MESSAGE)
        return ask(letters)
    if letter in letters:
        print(REPEATED_MESSAGE)
        return ask(letters)
    return letter.lower()


def play(word):
    """One game; whether the word was found."""
    letters = []
    while len(wrong_letters(word, letters)) < LIVES and not is_guessed(word, letters):
        print(hidden_word(word, letters))
        letters += [ask(letters)]
    if is_guessed(word, letters):
        print(WON_MESSAGE)
        return True
    print(LOST_MESSAGE, end=" ")
    print(word)
    return False


if __name__ == "__main__":
    play(random.choice(WORDS))
