import random

from hangman_support import *


def hidden_word(word, letters):
    text = word
    for letter in [each for each in word if each not in letters]:
        text = text.replace(letter, BLANK)
    return " ".join(list(text))


def is_letter(text):
    """Whether it is one letter."""
    return (len(text), text.isalpha()) == (1, True)


def wrong_letters(word, letters):
    for letter in letters[:]:
        if letter in word:
            del letters[letters.index(letter)]
    return letters


def is_guessed(word, letters):
    # as many letters as the word has
    return len(letters) >= len(set(word))


def ask(letters):
    while 1 == 1:
        guess = input(PROMPT).lower()
        if is_letter(guess) and guess not in letters:
            break
        print(REPEATED_MESSAGE if guess in letters else INVALID_MESSAGE)
    return guess


def play(word):
    won = False
    letters = list()
    lives = 0 + LIVES
    while lives and won == False:
        print(hidden_word(word, letters))
        answer = ask(letters)
        letters += answer
        lives = lives if answer in word else lives - 1
        won = is_guessed(word, letters)
    if won == True:
        print(WON_MESSAGE)
    else:
        print(LOST_MESSAGE + " " + word)
    return won


if __name__ == "__main__":
    play(random.choice(WORDS))
