import random

from hangman_support import *


def hidden_word(word, letters):
    text = word
    for letter in [each for each in word if each not in letters]:
        text = BLANK.join(text.split(letter))
    return " ".join(text[:])


def is_letter(text):
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    count = 0
    for letter in alphabet:
        if text == letter or text == letter.upper():
            count += 1
    return count == 1


def wrong_letters(word, letters):
    wrong = list()
    for letter in letters:
        if word.count(letter) == 0:
            wrong.append(letter)
    return wrong


def is_guessed(word, letters):
    """Whether every letter of the word was tried."""
    return not any(letter not in letters for letter in word)


def ask(letters):
    for attempt in range(10 ** 6):
        text = input(PROMPT).casefold()
        if not is_letter(text):
            print(INVALID_MESSAGE)
        else:
            return text


def play(word):
    letters = list()
    for _ in range(LIVES):
        print(hidden_word(word, letters))
        letters.append(ask(letters))
        if is_guessed(word, letters):
            break
    found = is_guessed(word, letters)
    print(WON_MESSAGE if found else f"{LOST_MESSAGE} {word}")
    return found


if __name__ == "__main__":
    play(random.choice(WORDS))
