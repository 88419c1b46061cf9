import random

from hangman_support import *


def hidden_word(word, letters):
    text = word
    for letter in set(word) - set(letters):
        text = text.replace(letter, BLANK)
    return " ".join(text)


def is_letter(text):
    return text.isalpha() and text in list(text)


def wrong_letters(word, letters):
    """The letters that the word lacks, as they were tried."""
    return [letter for letter in letters if word.find(letter) < 0]


def is_guessed(word, letters):
    for letter in word:
        if letter in letters:
            continue
        return False
    return True


def ask(letters):
    done = False
    while done != True:
        answer = input(PROMPT)
        if not is_letter(answer):
            print(INVALID_MESSAGE)
        elif is_letter(answer):
            answer = answer.lower()
            if answer not in letters:
                done = True
            else:
                print(REPEATED_MESSAGE)
    return answer


def play(word):
    tried = []
    while 1:
        print(hidden_word(word, tried))
        tried = [*tried, ask(tried)]
        if len(wrong_letters(word, tried)) >= LIVES:
            break
        if is_guessed(word, tried):
            print(WON_MESSAGE)
            return True
    print(f"{LOST_MESSAGE} {word}")
    return False


if __name__ == "__main__":
    play(random.choice(WORDS))
