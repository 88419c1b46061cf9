import random

from hangman_support import *


def hidden_word(word, letters):
    """The word with a blank for each letter that was not tried."""
    return " ".join((letter in letters and letter) or BLANK for letter in word)


def is_letter(text):
    # one character is enough
    try:
        text[0]
    except IndexError:
        return False
    else:
        return not text[1:]


def wrong_letters(word, letters):
    wrong = list()
    for letter in letters:
        if not letter in word:
            wrong += [letter]
    return wrong


def is_guessed(word, letters):
    # as many letters as the word has
    different = set(word)
    return len(different) <= len(letters)


def ask(letters):
    done = False
    while done == False:
        answer = input(PROMPT)
        if is_letter(answer) == False:
            print(INVALID_MESSAGE)
        if is_letter(answer) == True:
            answer = answer.lower()
            done = answer not in letters
            if not done:
                print(REPEATED_MESSAGE)
    return answer


def play(word):
    wrong, guesses = 0, list()
    while LIVES - wrong > 0:
        print(hidden_word(word, guesses))
        guesses += [ask(guesses)]
        if is_guessed(word, guesses):
            return print(WON_MESSAGE)
        wrong = len(wrong_letters(word, guesses))
    print(f"{LOST_MESSAGE} {word}")


if __name__ == "__main__":
    play(random.choice(WORDS))
