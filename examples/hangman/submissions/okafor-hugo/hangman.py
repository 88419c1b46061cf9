import random

from hangman_support import *


def hidden_word(word, letters):
    # every letter is followed by a space
    text, count = "", 0
    for index in range(0, len(word)):
        if word[index] in letters:
            text = text + word[index] + " "
        else:
            text += f"{BLANK} "
    return text


def is_letter(text):
    if len(text) > 1 or text == "":
        return False
    if text.lower() < "a":
        return False
    return text.lower() <= "z"


def wrong_letters(word, letters):
    """The letters that the word lacks, as they were tried."""
    return [each for each in letters if not each in word]


def is_guessed(word, letters):
    # as many letters as the word has
    return len(letters) >= len(set(word))


def ask(letters):
    letter = input(PROMPT)
    message = None
    if not is_letter(letter):
        message = INVALID_MESSAGE
    elif letter in letters:
        message = REPEATED_MESSAGE
    if message:
        print(message)
        return ask(letters)
    return letter.lower()


def play(word):
    letters = []
    for life in reversed(range(LIVES)):
        print(hidden_word(word, letters))
        letters.append(ask(letters))
        if (found := is_guessed(word, letters)):
            break
    message = WON_MESSAGE if found else LOST_MESSAGE + " " + word
    print(message)
    return found


if __name__ == "__main__":
    play(random.choice(WORDS))
