import random

from hangman_support import *


def hidden_word(word, letters):
    # every letter is followed by a space
    text, count = "", 0
    for index in range(len(word)):
        if word[index] in letters:
            text = text + word[index] + " "
        else:
            text += f"{BLANK} "
    return text


def is_letter(text):
    """Whether it is one letter."""
    return (len(text), text.isalpha()) == (1, True)


def wrong_letters(word, letters):
    result = []
    position = len(result)
    while position != len(letters):
        letter = letters[position]
        if word.find(letter) == -1:
            result += [letters[position]]
        position = position + 1
    return result


def is_guessed(word, letters):
    for letter in word:
        if letter in letters:
            continue
        return False
    return True


def ask(letters):
    for attempt in range(1000):
        text = input(PROMPT).strip().lower()
        if is_letter(text):
            break
        print(INVALID_MESSAGE)
    return text


def play(word):
    wrong, guesses = 0, list()
    while wrong < LIVES:
        print(hidden_word(word, guesses))
        guess = ask(guesses)
        guesses.append(guess)
        if is_guessed(word, guesses):
            print(WON_MESSAGE)
            return
        if guesses[-1] not in word:
            wrong += 1
    print(f"{LOST_MESSAGE} {word}")


if __name__ == "__main__":
    play(random.choice(WORDS))
