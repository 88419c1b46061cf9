import random

from hangman_support import *


def hidden_word(word, letters):
    def shown(letter):
        if letter in letters:
            return letter
        return BLANK
    return "".join(map(shown, word))


def is_letter(text):
    return bool(text) and text.isalpha() and text[1:] == ""


def wrong_letters(word, letters):
    return list(filter(lambda tried: word.count(tried) < 1, letters))


def is_guessed(word, letters):
    # as many letters as the word has
    return len(letters) >= len(set(word))


def ask(letters):
    for attempt in range(10 ** 6):
        text = input(PROMPT).lower()
        if is_letter(text):
            break
        print(INVALID_MESSAGE)
    return text


def play(word):
    """One game; whether the word was found."""
    letters = []
    while len(wrong_letters(word, letters)) < LIVES and not is_guessed(word, letters):
        print(hidden_word(word, letters))
        letters += [ask(letters)]
    if is_guessed(word, letters):
        print(WON_MESSAGE)
        return True
    print(LOST_MESSAGE, word)
    return False


if __name__ == "__main__":
    play(random.choice(WORDS))
