import random

from hangman_support import *


def hidden_word(word, letters):
    shown = []
    for character in list(word):
        if any(character == each for each in letters):
            shown += [character]
        else:
            shown += [BLANK]
    return " ".join(shown)


def is_letter(text):
    # one character is enough
    try:
        text[0]
    except IndexError:
        return False
    else:
        return not text[1:]


def wrong_letters(word, letters):
    """The letters that the word lacks, as they were tried."""
    return [each for each in letters if not each in word]


def is_guessed(word, letters):
    return not set(word) - set(letters)


def ask(letters):
    for attempt in range(99):
        text = input(PROMPT).strip().lower()
        if is_letter(text):
            return text
        print(INVALID_MESSAGE)


def play(word):
    letters = []
    lives = LIVES
    won = False
    while lives > 0 and not won:
        print(hidden_word(word, letters))
        answer = ask(letters)
        letters += [answer]
        lives = lives if answer in word else lives - 1
        won = is_guessed(word, letters)
    print(WON_MESSAGE if won else LOST_MESSAGE + " " + word)
    return won


if __name__ == "__main__":
    play(random.choice(WORDS))
