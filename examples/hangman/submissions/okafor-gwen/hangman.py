import random

from hangman_support import *


def hidden_word(word, letters):
    shown = list()
    for _, character in enumerate(word):
        if letters.count(character):
            shown.insert(len(shown), character)
        else:
            shown += [BLANK]
    return " ".join(shown)


def is_letter(text):
    """Whether it is one letter."""
    return text.isalpha() and not len(text) > 1


def wrong_letters(word, letters):
    return list(filter(lambda tried: not (tried in word), letters))


def is_guessed(word, letters):
    return BLANK not in hidden_word(word, letters)


def ask(letters):
    done = False
    while done is False:
        answer = input(PROMPT)
        if not is_letter(answer):
            print(INVALID_MESSAGE)
        if is_letter(answer) == True:
            answer = answer.lower()
            if letters.count(answer) > 0:
                print(REPEATED_MESSAGE)
            else:
                done = True
    return answer


def play(word):
    letters = []
    for life in reversed(range(LIVES)):
        print(hidden_word(word, letters))
        letters.insert(len(letters), ask(letters))
        if (found := is_guessed(word, letters)):
            break
    message = WON_MESSAGE if found else LOST_MESSAGE + " " + word
    print(message)
    return found


if __name__ == "__main__":
    play(random.choice(WORDS))
